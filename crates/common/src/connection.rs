//! Address and account of a server.

use std::fmt;
use std::net::{IpAddr, SocketAddr};
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::tls::{SslMode, Tls};

/// Environment variable that holds the password of a running server.
pub const PASSWORD_VARIABLE: &str = "LOGTRACE_PASSWORD";

/// Address, account and encryption that a client needs to connect to a server.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Connection {
    /// Address of the server.
    pub endpoint: Endpoint,
    /// Name of the account.
    pub user: String,
    /// Password of the account. It is never serialized.
    #[serde(skip)]
    pub password: Option<Password>,
    /// Default database.
    pub database: Option<String>,
    /// Encryption of the connection. A connection over a socket is never encrypted.
    pub tls: Tls,
    /// User of the server's process, if it is on this machine and known. A connection at whose other end is a process of
    /// another user is given up before anything is sent.
    pub server_uid: Option<u32>,
}

/// Address of a server.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Endpoint {
    /// Unix-domain socket.
    Socket(PathBuf),
    /// IP address and port.
    Tcp(IpAddr, u16),
}

/// Password that `Debug` does not show.
#[derive(Clone, PartialEq, Eq)]
pub struct Password(String);

impl Connection {
    /// Returns the same connection with another default database.
    #[must_use]
    pub fn with_database(&self, database: &str) -> Self {
        Self {
            database: Some(database.to_owned()),
            ..self.clone()
        }
    }

    /// Returns whether the connection is encrypted.
    pub fn is_encrypted(&self) -> bool {
        self.tls.mode != SslMode::Disabled
    }
}

impl Password {
    /// Wraps the clear text.
    pub fn new(clear: impl Into<String>) -> Self {
        Self(clear.into())
    }

    /// Reads the password from the environment variable [`PASSWORD_VARIABLE`], if it is set.
    pub fn from_environment() -> Option<Self> {
        std::env::var(PASSWORD_VARIABLE).ok().map(Self)
    }

    /// Returns the clear text, for the client that logs in with it.
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
            Self::Tcp(address, port) => write!(f, "{}", SocketAddr::new(*address, *port)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn password_shows_neither_in_debug_nor_in_json() {
        let connection = Connection {
            endpoint: Endpoint::Socket("/run/x.sock".into()),
            user: "root".into(),
            password: Some(Password::new("hunter2")),
            database: None,
            tls: Tls::default(),
            server_uid: None,
        };
        let json = serde_json::to_string(&connection).unwrap();
        assert!(!format!("{connection:?}{json}").contains("hunter2"));
        assert!(json.contains("/run/x.sock"), "{json}");
    }

    #[test]
    fn endpoints_are_written_with_brackets_around_ipv6() {
        let written = |address: &str, port| Endpoint::Tcp(address.parse().unwrap(), port).to_string();
        assert_eq!(written("::1", 3306), "[::1]:3306");
        assert_eq!(written("127.0.0.1", 1), "127.0.0.1:1");
    }
}
