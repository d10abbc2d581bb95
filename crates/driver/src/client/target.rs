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

/// Database of a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Use {
    /// Database of the workload.
    Database,
    /// No database, because it may not exist.
    Nothing,
}

impl Target {
    /// Creates the target for a database on the server of a connection.
    pub fn new(connection: &Connection, database: &str) -> Self {
        Self {
            connection: connection.clone(),
            database: database.to_owned(),
        }
    }

    /// Opens a connection for work that is not measured.
    pub(crate) async fn connect(&self, using: Use) -> Result<Conn, ConnectError> {
        let connection = Connection {
            database: (using == Use::Database).then(|| self.database.clone()),
            ..self.connection.clone()
        };
        connection.connect().await
    }
}
