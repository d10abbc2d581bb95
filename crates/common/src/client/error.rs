//! Errors of connections.

use std::path::PathBuf;

use thiserror::Error;

use crate::client::server_stream::NotTheServer;
use crate::connection::{Endpoint, PASSWORD_VARIABLE};

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
        "the server refuses user {user:?}: {message}. Check the user and the password (--password-file, --ask-password, an option file or {PASSWORD_VARIABLE}; login paths of mysql_config_editor are not read); an account that requires encryption needs ?ssl-mode=required in the address"
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
    /// Somebody else answers. Nothing was sent.
    #[error(transparent)]
    NotTheServer(NotTheServer),
    /// The server wants the whole password over a plain connection.
    #[error(
        "the server on {0} asks for the whole password over a connection that is not encrypted, and others could pose as it. Add ssl-mode=verify-identity&ssl-ca=FILE to the address, after a ? or &, or ssl-mode=required; or get-server-public-key=true to encrypt the password with any key that it sends"
    )]
    PublicKey(Endpoint),
    /// The certificate of the server does not prove what `ssl-mode` wants.
    #[error(
        "the certificate of the server on {endpoint} is not accepted: {reason}. Check ssl-ca, and for ssl-mode=verify-identity the host's name in the address"
    )]
    Certificate {
        /// Address of the server.
        endpoint: Endpoint,
        /// Error of the check.
        reason: String,
    },
    /// The client library panics at what the server sends.
    #[error("cannot read what the server on {0} sends at a login. Is it a MySQL or MariaDB server?")]
    Unreadable(Endpoint),
    /// The server offers no encryption.
    #[error("the server on {0} offers no encryption, which ssl-mode in the address asks for")]
    NoEncryption(Endpoint),
    /// The server refuses a setting that a session needs.
    #[error("cannot set {setting} for a session on {endpoint}: {reason}. Without it, {without}")]
    Session {
        /// Address of the server.
        endpoint: Endpoint,
        /// Setting, as it follows SET SESSION.
        setting: &'static str,
        /// What would happen without the setting.
        without: &'static str,
        /// Error of the server.
        reason: Box<mysql_async::Error>,
    },
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

/// Refusal to encrypt the password with a public key that the server sends over a plain connection.
#[derive(Debug, Error)]
#[error("the server's public key is not trusted")]
pub struct KeyRefused;
