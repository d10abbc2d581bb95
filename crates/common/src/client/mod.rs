//! Connections for work that is not measured, such as reading variables.

pub(crate) mod caught;
mod login_relay;
mod pinned_socket;
pub(crate) mod session_settings;

use std::collections::BTreeMap;
use std::io;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use mysql_async::prelude::Queryable;
use mysql_async::{Conn, DriverError, IoError, Opts, OptsBuilder, SslOpts};
use thiserror::Error;

use crate::client::caught::caught;
use crate::client::login_relay::LoginRelay;
use crate::client::pinned_socket::PinnedSocket;
use crate::connection::{Connection, Endpoint, PASSWORD_VARIABLE, Password};
use crate::tls::{SslMode, Tls};

/// Time that a server has to greet a client.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);

/// Beginning of every error of a certificate (`rustls::Error::InvalidCertificate`).
const BAD_CERTIFICATE: &str = "invalid peer certificate";

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

impl Connection {
    /// Connects to the server, which has 10 s to answer.
    pub async fn connect(&self) -> Result<Conn, ConnectError> {
        let ready = async { self.set_up(self.log_in().await?).await };
        let login = tokio::time::timeout(CONNECT_TIMEOUT, ready);
        let login = caught(login).await;
        login
            .ok_or_else(|| ConnectError::Unreadable(self.endpoint.clone()))?
            .map_err(|_| ConnectError::NoAnswer(self.endpoint.clone()))?
    }

    /// Returns the same connection with [`SslMode::Preferred`] replaced: by encryption if the server offers it, else by
    /// none.
    pub async fn resolved(&self) -> Result<Self, ConnectError> {
        let mut resolved = self.clone();
        if self.tls.mode == SslMode::Preferred {
            resolved.tls.mode = SslMode::Required;
            match resolved.check().await {
                Err(ConnectError::NoEncryption(_)) => resolved.tls.mode = SslMode::Disabled,
                checked => checked?,
            }
        }
        Ok(resolved)
    }

    async fn log_in(&self) -> Result<Conn, ConnectError> {
        match (&self.endpoint, self.server_uid) {
            (&Endpoint::Tcp(address, port), _) if self.hides_password() => {
                self.log_in_by_relay((address, port).into()).await
            }
            (Endpoint::Socket(path), Some(uid)) => {
                let socket = PinnedSocket::open(path, uid).await;
                let socket =
                    socket.map_err(|error| self.explain(mysql_async::Error::Io(IoError::Io(error))))?;
                self.log_in_with(OptsBuilder::from_opts(self.options()).socket(Some(socket.path())))
                    .await
            }
            _ => match self.log_in_with(self.options()).await {
                Err(ConnectError::Certificate { reason, .. }) if self.tls.mode == SslMode::VerifyCa => {
                    self.log_in_by_another_name(reason).await
                }
                done => done,
            },
        }
    }

    async fn log_in_with(&self, options: impl Into<Opts>) -> Result<Conn, ConnectError> {
        Conn::new(options.into())
            .await
            .map_err(|source| self.explain(source))
    }

    async fn log_in_by_relay(&self, server: SocketAddr) -> Result<Conn, ConnectError> {
        let relay = LoginRelay::start(server).await;
        let relay = relay.map_err(|error| self.explain(mysql_async::Error::Io(IoError::Io(error))))?;
        let options = OptsBuilder::from_opts(self.options())
            .ip_or_hostname(relay.address.ip().to_string())
            .tcp_port(relay.address.port());
        match self.log_in_with(options).await {
            Err(_) if relay.has_refused() => Err(ConnectError::PublicKey(self.endpoint.clone())),
            done => done,
        }
    }

    /// Logs in to a server whose certificate is for another name, which [`SslMode::VerifyCa`] allows. The client library
    /// always checks the name. So it gets one of those that the refused certificate has, and checks the authority again.
    async fn log_in_by_another_name(&self, reason: String) -> Result<Conn, ConnectError> {
        let Some(name) = certified_name(&reason) else {
            let endpoint = self.endpoint.clone();
            return Err(ConnectError::Certificate { endpoint, reason });
        };
        let tls = Tls {
            host: Some(name),
            ..self.tls.clone()
        };
        let options = OptsBuilder::from_opts(self.options()).ssl_opts(tls.options());
        self.log_in_with(options).await
    }

    /// Returns whether a server must not get the password encrypted with a key of its own.
    fn hides_password(&self) -> bool {
        let has_password = self
            .password
            .as_ref()
            .is_some_and(|password| !password.expose().is_empty());
        has_password && !self.is_encrypted() && !self.tls.get_server_public_key
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
            (mysql_async::Error::Driver(DriverError::NoClientSslFlagFromServer), endpoint) => {
                ConnectError::NoEncryption(endpoint.clone())
            }
            (mysql_async::Error::Other(other), endpoint) if other.is::<KeyRefused>() => {
                ConnectError::PublicKey(endpoint.clone())
            }
            _ if source.to_string().contains(BAD_CERTIFICATE) => ConnectError::Certificate {
                endpoint: self.endpoint.clone(),
                reason: source.to_string(),
            },
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

/// Returns a host name that a certificate is for, from the error about another name (`CertificateError` of rustls).
fn certified_name(reason: &str) -> Option<String> {
    let (_, names) = reason.split_once("certificate is only valid for ")?;
    let (_, name) = names.split_once("DnsName(\"")?;
    let (name, _) = name.split_once('"')?;
    Some(name.replace('*', "any"))
}

impl Tls {
    /// Returns the client library's options, or `None` for no encryption.
    fn options(&self) -> Option<SslOpts> {
        if self.mode == SslMode::Disabled {
            return None;
        }
        let is_verified = self.mode >= SslMode::VerifyCa;
        let authorities = self.ca.iter().filter(|_| is_verified);
        let options = SslOpts::default()
            .with_disable_built_in_roots(is_verified)
            .with_root_certs(authorities.map(|path| path.clone().into()).collect())
            .with_danger_accept_invalid_certs(!is_verified)
            .with_danger_skip_domain_validation(self.mode < SslMode::VerifyIdentity)
            .with_danger_tls_hostname_override(Some(self.host_name().to_owned()));
        Some(options)
    }
}

#[cfg(test)]
mod tests {
    use super::certified_name;

    #[test]
    fn names_of_a_certificate_are_read_from_its_error() {
        let error = |names: &str| {
            format!("certificate not valid for name \"a\"; certificate is only valid for {names}")
        };
        let name = |names: &str| certified_name(&error(names));
        assert_eq!(name("DnsName(\"localhost\")").as_deref(), Some("localhost"));
        let several = "IpAddress(10.0.0.1), DnsName(\"*.example.org\") or DnsName(\"b\")";
        assert_eq!(name(several).as_deref(), Some("any.example.org"));
        assert_eq!(certified_name("invalid peer certificate: UnknownIssuer"), None);
    }
}
