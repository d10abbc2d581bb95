//! Connections for work that is not measured, such as reading variables.

use std::collections::BTreeMap;
use std::io;
use std::path::PathBuf;
use std::time::Duration;

use mysql_async::prelude::Queryable;
use mysql_async::{Conn, IoError, Opts, OptsBuilder, SslOpts};
use thiserror::Error;

use crate::connection::{Connection, Endpoint, PASSWORD_VARIABLE, Password, Tls};

/// Time that a server has to greet a client.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);

/// Error of a connection or of a query that is not measured.
#[derive(Debug, Error)]
pub enum ConnectError {
    /// The socket does not exist.
    #[error(
        "there is no socket {0}. Is the server running? The variable @@socket of a running server names its socket"
    )]
    NoSocket(PathBuf),
    /// The port or socket has no listener.
    #[error("nothing listens on {0}. Is the server running, and is this its address?")]
    Refused(Endpoint),
    /// The account or password is wrong (server errors 1044, 1045 and 1698).
    #[error(
        "the server refuses user {user:?}: {message}. Check the user and the password in {PASSWORD_VARIABLE}; an account that requires encryption needs ?ssl-mode=required in the address"
    )]
    AccessDenied {
        /// Name of the account.
        user: String,
        /// Message of the server.
        message: String,
    },
    /// The kernel accepted the connection, but no server answered.
    #[error("the server on {0} does not answer: is it stopped, or out of disk space?")]
    NoAnswer(Endpoint),
    /// The client library reports another error.
    #[error("cannot use the server on {endpoint} as user {user:?}: {reason}")]
    Other {
        /// Address of the server.
        endpoint: Endpoint,
        /// Name of the account.
        user: String,
        /// Error of the client library. Its text names its own cause, so it is no source.
        reason: Box<mysql_async::Error>,
    },
}

impl Connection {
    /// Connects to the server, which has 10 s to answer.
    pub async fn connect(&self) -> Result<Conn, ConnectError> {
        tokio::time::timeout(CONNECT_TIMEOUT, Conn::new(self.options()))
            .await
            .map_err(|_| ConnectError::NoAnswer(self.endpoint.clone()))?
            .map_err(|source| self.explain(source))
    }

    /// Connects and disconnects.
    pub async fn check(&self) -> Result<(), ConnectError> {
        self.disconnect(self.connect().await?).await
    }

    /// Closes a connection in order. The server counts one whose socket only closes as an aborted client.
    pub async fn disconnect(&self, conn: Conn) -> Result<(), ConnectError> {
        conn.disconnect().await.map_err(|source| self.explain(source))
    }

    /// Reads `SHOW GLOBAL VARIABLES`.
    pub async fn variables(&self) -> Result<BTreeMap<String, String>, ConnectError> {
        self.name_value_rows("SHOW GLOBAL VARIABLES").await
    }

    /// Reads `SHOW GLOBAL STATUS`: counters and texts.
    pub async fn status(&self) -> Result<BTreeMap<String, String>, ConnectError> {
        self.name_value_rows("SHOW GLOBAL STATUS").await
    }

    /// Turns an error of the client library into one that says what to do.
    pub fn explain(&self, source: mysql_async::Error) -> ConnectError {
        match (&source, &self.endpoint) {
            (mysql_async::Error::Io(IoError::Io(error)), Endpoint::Socket(path))
                if error.kind() == io::ErrorKind::NotFound =>
            {
                ConnectError::NoSocket(path.clone())
            }
            (mysql_async::Error::Io(IoError::Io(error)), endpoint)
                if error.kind() == io::ErrorKind::ConnectionRefused =>
            {
                ConnectError::Refused(endpoint.clone())
            }
            (mysql_async::Error::Server(error), _) if matches!(error.code, 1044 | 1045 | 1698) => {
                ConnectError::AccessDenied {
                    user: self.user.clone(),
                    message: error.message.clone(),
                }
            }
            _ => ConnectError::Other {
                endpoint: self.endpoint.clone(),
                user: self.user.clone(),
                reason: Box::new(source),
            },
        }
    }

    async fn name_value_rows(&self, statement: &str) -> Result<BTreeMap<String, String>, ConnectError> {
        let mut conn = self.connect().await?;
        let rows: Vec<(String, Vec<u8>)> = conn
            .query(statement)
            .await
            .map_err(|source| self.explain(source))?;
        self.disconnect(conn).await?;
        let text = |value: Vec<u8>| String::from_utf8_lossy(&value).into_owned();
        Ok(rows
            .into_iter()
            .map(|(name, value)| (name, text(value)))
            .collect())
    }

    fn options(&self) -> Opts {
        let builder = OptsBuilder::default()
            .user(Some(self.user.clone()))
            .pass(self.password.as_ref().map(Password::expose))
            .db_name(self.database.clone())
            .ssl_opts(self.tls.options())
            // Otherwise the library would use the socket instead of a TCP connection to localhost.
            .prefer_socket(false)
            // Callers that prepare statements keep them themselves.
            .stmt_cache_size(0);
        match &self.endpoint {
            Endpoint::Socket(path) => builder.socket(Some(path.to_string_lossy().into_owned())),
            Endpoint::Tcp(address, port) => builder.ip_or_hostname(address.to_string()).tcp_port(*port),
        }
        .into()
    }
}

impl Tls {
    /// Returns the client library's options, or `None` for no encryption.
    pub fn options(self) -> Option<SslOpts> {
        match self {
            Self::Disabled => None,
            Self::Required => Some(SslOpts::default().with_danger_accept_invalid_certs(true)),
        }
    }
}
