//! Database to connect to.

use std::sync::Arc;

use logtrace_common::process::ProcessHandle;
use logtrace_common::{ConnectError, Connection, ServerConn};

/// Server, login and database of a workload.
#[derive(Clone, Debug)]
pub struct Target {
    /// Server and login. The database named here is not used.
    pub connection: Connection,
    /// Database of the workload's tables.
    pub database: String,
    /// Process of the server, if it is on this machine and known.
    pub process: Option<Arc<ProcessHandle>>,
}

impl Target {
    /// Creates the target for a database on the server of a connection.
    pub fn new(connection: &Connection, database: &str) -> Self {
        Self {
            connection: connection.clone(),
            database: database.to_owned(),
            process: None,
        }
    }

    /// Returns the same target on the server of this process, so that threads in a PID namespace of their own are known.
    pub fn of_process(self, process: Option<Arc<ProcessHandle>>) -> Self {
        Self { process, ..self }
    }

    /// Opens a connection to the database for work that is not measured.
    pub(crate) async fn connect(&self) -> Result<ServerConn, ConnectError> {
        self.connection.with_database(&self.database).connect().await
    }

    /// Opens a connection without a database, which may not exist.
    pub(crate) async fn connect_to_server(&self) -> Result<ServerConn, ConnectError> {
        let connection = Connection {
            database: None,
            ..self.connection.clone()
        };
        connection.connect().await
    }
}
