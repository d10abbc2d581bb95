//! Connections for work that is not measured, such as reading variables.

pub(crate) mod caught;
pub(crate) mod error;
mod login_filter;
mod login_relay;
pub(crate) mod server_conn;
pub(crate) mod server_stream;
pub(crate) mod session_settings;
mod session_setup;
mod tcp_peer;
pub(crate) mod told;

use std::collections::BTreeMap;
use std::io;

use mysql_async::prelude::Queryable;
use mysql_async::{Conn, DriverError, IoError, Opts, OptsBuilder, SslOpts};

use crate::client::caught::caught;
use crate::client::error::{ConnectError, KeyRefused};
use crate::client::login_filter::{LoginFilter, Refusal};
use crate::client::login_relay::LoginRelay;
use crate::client::server_conn::ServerConn;
use crate::client::server_stream::{CONNECT_TIMEOUT, KEEPALIVE_IDLE, NotTheServer, ServerStream};
use crate::connection::{Connection, Endpoint, Password};
use crate::tls::{SslMode, Tls};

/// Beginning of every error of a certificate (`rustls::Error::InvalidCertificate`).
const BAD_CERTIFICATE: &str = "invalid peer certificate";

const STATUS: &str = "SHOW GLOBAL STATUS";

impl Connection {
    /// Connects to the server, which has 10 s to answer.
    pub async fn connect(&self) -> Result<ServerConn, ConnectError> {
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

    async fn log_in(&self) -> Result<ServerConn, ConnectError> {
        match self.log_in_with(self.options()).await {
            Err(ConnectError::Certificate { reason, .. }) if self.tls.mode == SslMode::VerifyCa => {
                self.log_in_by_another_name(reason).await
            }
            done => done,
        }
    }

    async fn log_in_with(&self, options: Opts) -> Result<ServerConn, ConnectError> {
        let filter = self.login_filter();
        if self.server_uid.is_none() && filter.is_none() {
            let conn = Conn::new(options).await;
            return Ok(ServerConn::new(conn.map_err(|error| self.explain(error))?, None));
        }
        let stream = ServerStream::connect(&self.endpoint, self.server_uid).await;
        let relay = LoginRelay::start(stream.map_err(|error| self.explain(error))?, filter);
        let relay = relay.map_err(|error| self.explain(error.into()))?;
        match (Conn::new(relay.options(options)).await, relay.refusal()) {
            (Ok(conn), _) => Ok(ServerConn::new(conn, Some(relay.task()))),
            (Err(_), Some(refusal)) => Err(self.refused(refusal)),
            (Err(error), None) => Err(self.explain(error)),
        }
    }

    /// Logs in to a server whose certificate is for another name, which [`SslMode::VerifyCa`] allows. The client library
    /// always checks the name. So it gets one of those that the refused certificate has, and checks the authority again.
    async fn log_in_by_another_name(&self, reason: String) -> Result<ServerConn, ConnectError> {
        let Some(name) = certified_name(&reason) else {
            let endpoint = self.endpoint.clone();
            return Err(ConnectError::Certificate { endpoint, reason });
        };
        let tls = Tls {
            host: Some(name),
            ..self.tls.clone()
        };
        let options = OptsBuilder::from_opts(self.options()).ssl_opts(tls.options());
        self.log_in_with(options.into()).await
    }

    /// Returns what a server may send at a login over plain TCP; `None` for other connections.
    fn login_filter(&self) -> Option<LoginFilter> {
        let is_plain = matches!(self.endpoint, Endpoint::Tcp(..)) && !self.is_encrypted();
        let has_password = self
            .password
            .as_ref()
            .is_some_and(|password| !password.expose().is_empty());
        is_plain.then(|| LoginFilter::new(self.tls.get_server_public_key || !has_password))
    }

    fn refused(&self, refusal: &Refusal) -> ConnectError {
        match refusal {
            Refusal::WholePassword => ConnectError::PublicKey(self.endpoint.clone()),
            Refusal::Plugin(name) => {
                let name = name.clone();
                self.explain(DriverError::UnknownAuthPlugin { name }.into())
            }
            Refusal::Unknown => ConnectError::Unreadable(self.endpoint.clone()),
        }
    }

    /// Connects and disconnects.
    pub async fn check(&self) -> Result<(), ConnectError> {
        self.disconnect(self.connect().await?).await
    }

    /// Closes a connection in order, see [`ServerConn::disconnect`].
    pub async fn disconnect(&self, conn: ServerConn) -> Result<(), ConnectError> {
        conn.disconnect().await.map_err(|source| self.explain(source))
    }

    /// Reads `SHOW GLOBAL VARIABLES`.
    pub async fn variables(&self) -> Result<BTreeMap<String, String>, ConnectError> {
        self.name_value_rows("SHOW GLOBAL VARIABLES").await
    }

    /// Reads `SHOW GLOBAL STATUS`: counters and texts.
    pub async fn status(&self) -> Result<BTreeMap<String, String>, ConnectError> {
        self.name_value_rows(STATUS).await
    }

    /// Reads `SHOW GLOBAL STATUS` by a connection that exists: a login would change the counters.
    pub async fn status_by(&self, conn: &mut ServerConn) -> Result<BTreeMap<String, String>, ConnectError> {
        self.rows_by(conn, STATUS).await
    }

    /// Turns an error of the client library into one that says what to do.
    pub fn explain(&self, source: mysql_async::Error) -> ConnectError {
        if let Some(reason) = NotTheServer::in_error(&source) {
            return ConnectError::NotTheServer(reason.clone());
        }
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
        let rows = self.rows_by(&mut conn, statement).await?;
        self.disconnect(conn).await?;
        Ok(rows)
    }

    async fn rows_by(
        &self,
        conn: &mut ServerConn,
        statement: &str,
    ) -> Result<BTreeMap<String, String>, ConnectError> {
        let rows: Vec<(String, Vec<u8>)> = conn
            .query(statement)
            .await
            .map_err(|source| self.explain(source))?;
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
            .tcp_keepalive(Some(KEEPALIVE_IDLE))
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
