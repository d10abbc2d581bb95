//! Encryption of a connection.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};
use strum::{EnumString, IntoStaticStr, VariantNames};

/// Encryption of a TCP connection, and what the server must prove. A connection over a socket is never encrypted.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tls {
    /// Mode, as `--ssl-mode` of the MySQL client has it.
    pub mode: SslMode,
    /// PEM file with the certificates of authorities, for [`SslMode::VerifyCa`] and [`SslMode::VerifyIdentity`].
    pub ca: Option<PathBuf>,
    /// Name of the server's host as the user wrote it, for [`SslMode::VerifyIdentity`].
    pub host: Option<String>,
    /// Whether to encrypt the password with the public key that the server sends over a plain TCP connection, as
    /// `--get-server-public-key` of the MySQL client has it. Whoever can redirect the connection can send a key.
    pub get_server_public_key: bool,
}

/// Mode of encryption, named as in `--ssl-mode` of the MySQL client.
#[derive(
    Clone,
    Copy,
    Debug,
    Default,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Serialize,
    Deserialize,
    EnumString,
    IntoStaticStr,
    VariantNames,
)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum SslMode {
    /// Plain connection.
    #[default]
    Disabled,
    /// Encryption if the server offers it, without a check of its certificate.
    Preferred,
    /// Encryption without a check of the server's certificate: others cannot read a connection, but who can redirect it
    /// can pose as the server.
    Required,
    /// Encryption; one of the authorities must have signed the certificate.
    VerifyCa,
    /// The same, and the certificate must be for the server's host.
    VerifyIdentity,
}

impl Tls {
    /// Returns the host name that the certificate must have. `localhost` is the default, as users write it.
    pub fn host_name(&self) -> &str {
        self.host.as_deref().unwrap_or("localhost")
    }
}
