//! Database to connect to.

use logtrace_common::{ConnectError, Connection};
use mysql_async::Conn;

/// Server, login and database of a workload.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Target {
    /// Server and login. The database named here is not used.
    pub connection: Connection,
    /// Database of the workload's tables.
    pub database: String,
}

impl Target {
    /// Creates the target for a database on the server of a connection.
    pub fn new(connection: &Connection, database: &str) -> Self {
        Self {
            connection: connection.clone(),
            database: database.to_owned(),
        }
    }

    /// Opens a connection to the database for work that is not measured.
    pub(crate) async fn connect(&self) -> Result<Conn, ConnectError> {
        self.connection.with_database(&self.database).connect().await
    }

    /// Opens a connection without a database, which may not exist.
    pub(crate) async fn connect_to_server(&self) -> Result<Conn, ConnectError> {
        let connection = Connection {
            database: None,
            ..self.connection.clone()
        };
        connection.connect().await
    }
}
