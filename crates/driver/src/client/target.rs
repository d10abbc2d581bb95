//! Server to connect to.

use std::fmt;
use std::path::PathBuf;

use mysql_async::{Conn, Opts, OptsBuilder, SslOpts};
use thiserror::Error;

/// Address of the server, and the login.
#[derive(Clone, PartialEq, Eq)]
pub struct Target {
    /// Address of the server.
    pub address: Address,
    /// User name.
    pub user: String,
    /// Password; `None` if the user has none. `Debug` hides it.
    pub password: Option<String>,
    /// Database of the workload's tables.
    pub database: String,
    /// Whether connections are encrypted. The server's certificate is not checked, as with `--ssl-mode=REQUIRED`.
    pub encrypted: bool,
}

/// Address of a server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Address {
    /// Path of a Unix-domain socket.
    Socket(PathBuf),
    /// TCP address.
    Tcp {
        /// Host name or IP address.
        host: String,
        /// Port number.
        port: u16,
    },
}

/// Database of a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Use {
    /// Database of the workload.
    Database,
    /// No database, because it may not exist.
    Nothing,
}

/// Failure to connect to a server.
#[derive(Debug, Error)]
#[error("cannot connect to the server at {address} as user {user:?}: {reason}")]
pub struct ConnectError {
    address: String,
    user: String,
    reason: mysql_async::Error,
}

impl Target {
    /// Opens a connection for work that is not measured.
    pub(crate) async fn connect(&self, using: Use) -> Result<Conn, ConnectError> {
        let connected = Conn::new(self.options(using)).await;
        connected.map_err(|error| self.refused(error))
    }

    /// Returns the error of a connection to this server that failed.
    pub(crate) fn refused(&self, reason: mysql_async::Error) -> ConnectError {
        ConnectError {
            address: self.address.to_string(),
            user: self.user.clone(),
            reason,
        }
    }

    fn options(&self, using: Use) -> Opts {
        let options = OptsBuilder::default()
            .user(Some(&self.user))
            .pass(self.password.as_deref())
            .ssl_opts(
                self.encrypted
                    .then(|| SslOpts::default().with_danger_accept_invalid_certs(true)),
            )
            .db_name((using == Use::Database).then_some(&self.database))
            // The requested transport is measured: never use a socket instead of TCP.
            .prefer_socket(false)
            // Workloads cache their statements themselves.
            .stmt_cache_size(0);
        let options = match &self.address {
            Address::Socket(path) => options.socket(Some(path.to_string_lossy())),
            Address::Tcp { host, port } => options.ip_or_hostname(host).tcp_port(*port),
        };
        options.into()
    }
}

impl fmt::Debug for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Target")
            .field("address", &self.address)
            .field("user", &self.user)
            .field("password", &self.password.as_ref().map(|_| "(not shown)"))
            .field("database", &self.database)
            .field("encrypted", &self.encrypted)
            .finish()
    }
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Socket(path) => write!(f, "{}", path.display()),
            Self::Tcp { host, port } => write!(f, "{host}:{port}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_password_is_not_shown() {
        let target = Target {
            address: Address::Socket("/run/mysqld.sock".into()),
            user: "root".into(),
            password: Some("hunter2".into()),
            database: "logtrace".into(),
            encrypted: false,
        };
        assert!(!format!("{target:?}").contains("hunter2"));
    }
}
