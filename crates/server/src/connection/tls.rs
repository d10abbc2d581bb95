//! Whether a connection is encrypted.

use mysql_async::SslOpts;
use serde::Serialize;

/// What MySQL's and MariaDB's own clients call `--ssl-mode`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Tls {
    /// It is not.
    #[default]
    Disabled,
    /// It is, whatever the server's certificate says: all connections stay on this machine.
    Required,
}

impl Tls {
    /// The same for the client library; none for no encryption.
    pub fn options(self) -> Option<SslOpts> {
        match self {
            Self::Disabled => None,
            Self::Required => Some(SslOpts::default().with_danger_accept_invalid_certs(true)),
        }
    }
}
