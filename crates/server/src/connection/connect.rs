//! How to reach a server, and asking it simple things.

use std::collections::BTreeMap;
use std::fmt;
use std::io;
use std::net::IpAddr;
use std::path::PathBuf;
use std::time::Duration;

use mysql_async::prelude::Queryable;
use mysql_async::{Conn, IoError, Opts, OptsBuilder};
use serde::Serialize;
use thiserror::Error;

use crate::connection::dsn::PASSWORD_VARIABLE;
use crate::connection::tls::Tls;

/// How long a server may take to greet a client.
const ANSWER_WITHIN: Duration = Duration::from_secs(10);

/// Everything that a client needs to connect; plain, so that any client can be fed from it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Connection {
    /// Where the server listens.
    pub endpoint: Endpoint,
    /// The account.
    pub user: String,
    /// Its password; never serialized.
    #[serde(skip)]
    pub password: Option<Password>,
    /// The database to use from the start.
    pub database: Option<String>,
    /// Whether it is encrypted; never so on a socket.
    pub tls: Tls,
}

/// Where a server listens; always on this machine.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Endpoint {
    /// A Unix socket.
    Socket(PathBuf),
    /// A loopback address and port.
    Tcp(IpAddr, u16),
}

/// A password, which does not show in `Debug`.
#[derive(Clone, PartialEq, Eq)]
pub struct Password(String);

impl Password {
    /// Wraps the clear text.
    pub fn new(clear: impl Into<String>) -> Self {
        Self(clear.into())
    }

    /// The password of the environment variable `LOGTRACE_PASSWORD`, if it is set.
    pub fn from_environment() -> Option<Self> {
        std::env::var(PASSWORD_VARIABLE).ok().map(Self)
    }

    /// The clear text, for the client that logs in with it.
    pub fn expose(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Password {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("(hidden)")
    }
}

impl fmt::Display for Endpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Socket(path) => write!(f, "socket {}", path.display()),
            Self::Tcp(IpAddr::V6(address), port) => write!(f, "[{address}]:{port}"),
            Self::Tcp(address, port) => write!(f, "{address}:{port}"),
        }
    }
}

/// Why a server could not be asked.
#[derive(Debug, Error)]
pub enum ConnectError {
    /// The socket is not there.
    #[error(
        "there is no socket {0}. Is the server running? The variable @@socket of a running server names its socket"
    )]
    NoSocket(PathBuf),
    /// Nobody listens.
    #[error("nothing listens on {0}. Is the server running, and is this its address?")]
    Refused(Endpoint),
    /// Wrong account or password (errors 1044, 1045 and 1698).
    #[error(
        "the server refuses user {user:?}: {message}. Check the user and the password in {PASSWORD_VARIABLE}; an account that requires encryption needs ?ssl-mode=required in the address"
    )]
    AccessDenied {
        /// The account.
        user: String,
        /// What the server said.
        message: String,
    },
    /// The kernel took the connection, and no server answered.
    #[error("the server on {0} does not answer: is it stopped, or out of disk space?")]
    Silent(Endpoint),
    /// Anything else that the client library reports.
    #[error("asking the server on {endpoint} failed: {source}")]
    Other {
        /// Where it was asked.
        endpoint: Endpoint,
        /// What the client library said.
        source: mysql_async::Error,
    },
}

impl Connection {
    /// Whether it is encrypted: what is asked for is what there is, or no connection.
    pub fn is_encrypted(&self) -> bool {
        self.tls != Tls::Disabled
    }

    /// Connects.
    pub(crate) async fn connect(&self) -> Result<Conn, ConnectError> {
        tokio::time::timeout(ANSWER_WITHIN, Conn::new(self.options()))
            .await
            .map_err(|_| ConnectError::Silent(self.endpoint.clone()))?
            .map_err(|source| self.explain(source))
    }

    /// Connects and takes leave.
    pub(crate) async fn check(&self) -> Result<(), ConnectError> {
        self.leave(self.connect().await?).await
    }

    /// Closes a connection in order: one that only closes its socket counts as an aborted client in the status.
    pub(crate) async fn leave(&self, conn: Conn) -> Result<(), ConnectError> {
        conn.disconnect().await.map_err(|source| self.explain(source))
    }

    /// `SHOW GLOBAL VARIABLES`.
    pub(crate) async fn variables(&self) -> Result<BTreeMap<String, String>, ConnectError> {
        self.name_value_rows("SHOW GLOBAL VARIABLES").await
    }

    /// `SHOW GLOBAL STATUS`, counters and texts alike.
    pub async fn status(&self) -> Result<BTreeMap<String, String>, ConnectError> {
        self.name_value_rows("SHOW GLOBAL STATUS").await
    }

    /// Sorts an error of the client library into those that a person can do something about.
    pub(crate) fn explain(&self, source: mysql_async::Error) -> ConnectError {
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
                source,
            },
        }
    }

    async fn name_value_rows(&self, statement: &str) -> Result<BTreeMap<String, String>, ConnectError> {
        let mut conn = self.connect().await?;
        let rows: Vec<(String, Vec<u8>)> = conn
            .query(statement)
            .await
            .map_err(|source| self.explain(source))?;
        self.leave(conn).await?;
        Ok(rows
            .into_iter()
            .map(|(name, value)| (name, String::from_utf8_lossy(&value).into_owned()))
            .collect())
    }

    fn options(&self) -> Opts {
        let builder = OptsBuilder::default()
            .user(Some(self.user.clone()))
            .pass(self.password.as_ref().map(Password::expose))
            .db_name(self.database.clone())
            .ssl_opts(self.tls.options())
            // Otherwise a TCP connection to localhost would move over to the socket.
            .prefer_socket(false);
        match &self.endpoint {
            Endpoint::Socket(path) => builder.socket(Some(path.to_string_lossy().into_owned())),
            Endpoint::Tcp(address, port) => builder.ip_or_hostname(address.to_string()).tcp_port(*port),
        }
        .into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_password_shows_neither_in_debug_nor_in_json() {
        let connection = Connection {
            endpoint: Endpoint::Socket("/run/x.sock".into()),
            user: "root".into(),
            password: Some(Password::new("geheim")),
            database: None,
            tls: Tls::Disabled,
        };
        assert!(!format!("{connection:?}").contains("geheim"));
        let json = serde_json::to_string(&connection).unwrap();
        assert!(!json.contains("geheim") && json.contains("/run/x.sock"), "{json}");
    }

    #[test]
    fn endpoints_read_as_people_write_them() {
        assert_eq!(
            Endpoint::Tcp("::1".parse().unwrap(), 3306).to_string(),
            "[::1]:3306"
        );
        assert_eq!(
            Endpoint::Tcp("127.0.0.1".parse().unwrap(), 1).to_string(),
            "127.0.0.1:1"
        );
    }
}
