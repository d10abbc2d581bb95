//! Address of a running server, as users write it.

use logtrace_common::{Connection, Endpoint, PASSWORD_VARIABLE, Password, Tls};
use std::fmt::Display;
use std::net::{IpAddr, Ipv4Addr, ToSocketAddrs};
use std::path::{Path, PathBuf};

use anyhow::{Context, anyhow, bail};
use percent_encoding::percent_decode_str;
use url::{Host, Url};

/// Usual paths of a server's socket, in the order of search.
const USUAL_SOCKETS: [&str; 3] = [
    "/run/mysqld/mysqld.sock",
    "/var/lib/mysql/mysql.sock",
    "/tmp/mysql.sock",
];

const USUAL_PORT: u16 = 3306;

/// Reads the address of a server, `mysql://user@host[:port]/database?socket=PATH&ssl-mode=MODE`. Looks up the name of
/// another host.
///
/// The user is `root` if the address names none. An address with a password is refused: the password comes from the
/// environment variable `LOGTRACE_PASSWORD`. `localhost` and nothing more means the usual socket if there is one, else the
/// usual port.
pub fn parse_dsn(text: &str) -> anyhow::Result<Connection> {
    Ok(Connection {
        password: Password::from_environment(),
        ..parse(text, Path::exists, address_of)?
    })
}

/// Returns the first address of a host's name.
fn address_of(name: &str) -> anyhow::Result<IpAddr> {
    let unknown = || format!("cannot find the host {name}: check its name, or write its IP address");
    let mut addresses = (name, USUAL_PORT).to_socket_addrs().with_context(unknown)?;
    addresses.next().map(|address| address.ip()).with_context(unknown)
}

pub(crate) fn parse(
    text: &str,
    exists: impl Fn(&Path) -> bool,
    address_of: impl Fn(&str) -> anyhow::Result<IpAddr>,
) -> anyhow::Result<Connection> {
    let url = Url::parse(text).map_err(|error| malformed(without_password(text), error))?;
    if url.password().is_some() || url.query_pairs().any(|(key, _)| key == "password") {
        bail!(
            "the server's address holds a password, which every user of this machine could read: remove it and set the \
             environment variable {PASSWORD_VARIABLE}"
        );
    }
    if !matches!(url.scheme(), "mysql" | "mariadb") {
        return Err(malformed(text, "it must start with mysql://"));
    }
    let Parameters { socket, tls } = Parameters::of(text, &url)?;
    Ok(Connection {
        endpoint: endpoint(text, &url, socket.as_deref(), tls, exists, address_of)?,
        user: non_empty(text, url.username())?.unwrap_or_else(|| "root".to_owned()),
        password: None,
        database: non_empty(text, url.path().trim_start_matches('/'))?,
        tls,
    })
}

/// Parameters after the question mark.
#[derive(Default)]
struct Parameters {
    socket: Option<PathBuf>,
    tls: Tls,
}

impl Parameters {
    fn of(text: &str, url: &Url) -> anyhow::Result<Self> {
        let mut parameters = Self::default();
        for (key, value) in url.query_pairs() {
            match (key.as_ref(), value.to_ascii_lowercase().as_str()) {
                ("socket", _) if value.starts_with('/') => parameters.socket = Some(value.as_ref().into()),
                ("socket", _) => return Err(malformed(text, "the socket's path must be absolute")),
                ("ssl-mode", "disabled") => parameters.tls = Tls::Disabled,
                ("ssl-mode", "required") => parameters.tls = Tls::Required,
                ("ssl-mode", mode) => {
                    let reason = format!("unknown ssl-mode {mode:?}, known are disabled and required");
                    return Err(malformed(text, reason));
                }
                (key, _) => {
                    let reason = format!("unknown parameter {key:?}, known are socket and ssl-mode");
                    return Err(malformed(text, reason));
                }
            }
        }
        Ok(parameters)
    }
}

fn endpoint(
    text: &str,
    url: &Url,
    socket: Option<&Path>,
    tls: Tls,
    exists: impl Fn(&Path) -> bool,
    address_of: impl Fn(&str) -> anyhow::Result<IpAddr>,
) -> anyhow::Result<Endpoint> {
    let is_encrypted = tls != Tls::Disabled;
    let (host, port) = (host(text, url, address_of)?, url.port());
    if let (Some(_), Some(host)) = (socket, host.filter(|host| !host.is_loopback())) {
        let reason = format!("a socket is on this machine, and the host {host} is another one");
        return Err(malformed(text, reason));
    }
    let is_usual = host.is_none() && port.is_none() && !is_encrypted;
    let mut usual = USUAL_SOCKETS
        .into_iter()
        .filter(|path| is_usual && exists(Path::new(path)));
    match socket.or_else(|| usual.next().map(Path::new)) {
        Some(_) if is_encrypted => Err(malformed(
            text,
            "a socket is never encrypted: leave out ssl-mode, or name an address and port instead",
        )),
        Some(path) => Ok(Endpoint::Socket(path.to_owned())),
        None => Ok(Endpoint::Tcp(
            host.unwrap_or(Ipv4Addr::LOCALHOST.into()),
            port.unwrap_or(USUAL_PORT),
        )),
    }
}

/// Returns the address of the host, or `None` for `localhost` or no host.
fn host(
    text: &str,
    url: &Url,
    address_of: impl Fn(&str) -> anyhow::Result<IpAddr>,
) -> anyhow::Result<Option<IpAddr>> {
    let address = match url.host() {
        None | Some(Host::Domain("" | "localhost")) => return Ok(None),
        // For schemes that it does not know, `url` leaves IPv4 addresses as names.
        Some(Host::Domain(name)) => name.parse().or_else(|_| address_of(name))?,
        Some(Host::Ipv4(address)) => IpAddr::V4(address),
        Some(Host::Ipv6(address)) => IpAddr::V6(address),
    };
    match address.is_unspecified() {
        true => Err(malformed(text, "this address is for listening only")),
        false => Ok(Some(address)),
    }
}

fn non_empty(text: &str, encoded: &str) -> anyhow::Result<Option<String>> {
    let decoded = percent_decode_str(encoded)
        .decode_utf8()
        .map_err(|error| malformed(text, error))?;
    Ok((!decoded.is_empty()).then(|| decoded.into_owned()))
}

/// Returns the text, or a placeholder if it may contain a password.
fn without_password(text: &str) -> &str {
    let after_scheme = text.split_once("://").map_or(text, |(_, after)| after);
    let account = after_scheme.rsplit_once('@').map_or("", |(account, _)| account);
    if account.contains(':') || text.contains("password") {
        "(hidden, it seems to hold a password)"
    } else {
        text
    }
}

fn malformed(text: &str, reason: impl Display) -> anyhow::Error {
    anyhow!(
        "{text:?} is not a server's address: {reason}. Write mysql://USER@localhost/DATABASE?socket=PATH or \
         mysql://USER@HOST:PORT/DATABASE"
    )
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Knows one host.
    fn one_host(name: &str) -> anyhow::Result<IpAddr> {
        match name {
            "db.example.org" => Ok("192.0.2.7".parse()?),
            _ => bail!("there is no host {name}"),
        }
    }

    fn dsn(text: &str) -> Connection {
        parse(text, |_| false, one_host).unwrap()
    }

    fn refused(text: &str) -> String {
        parse(text, |_| false, one_host).unwrap_err().to_string()
    }

    #[test]
    fn all_parts_are_read() {
        assert_eq!(
            dsn("mysql://sb%40x@127.0.0.1:3307/sbtest"),
            Connection {
                endpoint: Endpoint::Tcp(Ipv4Addr::LOCALHOST.into(), 3307),
                user: "sb@x".into(),
                password: None,
                database: Some("sbtest".into()),
                tls: Tls::Disabled,
            }
        );
        assert_eq!(
            dsn("mysql://root@localhost/?socket=/run/my%20sql/mysqld.sock"),
            Connection {
                endpoint: Endpoint::Socket("/run/my sql/mysqld.sock".into()),
                user: "root".into(),
                password: None,
                database: None,
                tls: Tls::Disabled,
            }
        );
        assert_eq!(dsn("mysql://localhost").user, "root");
        assert_eq!(
            dsn("mysql://[::1]:3310/").endpoint,
            Endpoint::Tcp("::1".parse().unwrap(), 3310)
        );
    }

    #[test]
    fn encryption_is_asked_for_as_of_the_servers_own_clients() {
        let tls = |parameters: &str| dsn(&format!("mysql://root@127.0.0.1/?{parameters}")).tls;
        assert_eq!(tls("ssl-mode=DISABLED"), Tls::Disabled);
        assert_eq!(tls("ssl-mode=required"), Tls::Required);
        // There, `localhost` cannot be a socket.
        let encrypted = parse("mysql://root@localhost/?ssl-mode=required", |_| true, one_host).unwrap();
        assert_eq!(
            encrypted.endpoint,
            Endpoint::Tcp(Ipv4Addr::LOCALHOST.into(), 3306)
        );
    }

    #[test]
    fn a_password_is_refused_and_not_repeated() {
        for text in [
            "mysql://root:geheim@localhost/",
            "mysql://:geheim@localhost/",
            "mysql://root@localhost/?password=geheim",
            "mysql://root:geheim@db.example.org/",
            "http://root:geheim@localhost/",
        ] {
            let error = refused(text);
            assert!(error.contains("holds a password"), "{text}");
            assert!(!error.contains("geheim"));
        }
        let unreadable = refused("mysql://root:geheim@[::/");
        assert!(!unreadable.contains("geheim"), "{unreadable}");
        let plain = refused("mysql://root@localhost:99999/");
        assert!(plain.contains("root@localhost:99999"), "{plain}");
    }

    #[test]
    fn a_server_of_another_host_is_named_by_its_address_or_name() {
        for (text, address, port) in [
            ("mysql://root@db.example.org/", "192.0.2.7", 3306),
            ("mysql://root@10.0.0.1:3307/", "10.0.0.1", 3307),
            ("mysql://root@[2001:db8::1]/", "2001:db8::1", 3306),
        ] {
            assert_eq!(dsn(text).endpoint, Endpoint::Tcp(address.parse().unwrap(), port));
        }
        let error = refused("mysql://root@unknown.example.org/");
        assert!(error.contains("there is no host unknown.example.org"), "{error}");
        let error = refused("mysql://root@10.0.0.1/?socket=/run/x");
        assert!(error.contains("10.0.0.1 is another one"), "{error}");
    }

    #[test]
    fn what_is_not_understood_is_refused() {
        for text in [
            "postgres://root@localhost/",
            "mysql://root@localhost/?socket=relative",
            "mysql://root@localhost/?sokcet=/run/x",
            "mysql://root@localhost/?socket=/run/x&ssl-mode=required",
            "mysql://root@localhost/?ssl-mode=preferred",
            "mysql://root@0.0.0.0/",
            "localhost",
        ] {
            let error = refused(text);
            assert!(error.contains("is not a server's address"), "{error}");
        }
    }

    #[test]
    fn localhost_is_the_usual_socket_where_there_is_one() {
        let endpoint = |text: &str, socket: &str| {
            let exists = |path: &Path| path == Path::new(socket);
            parse(text, exists, one_host).unwrap().endpoint
        };
        let socket = Endpoint::Socket("/tmp/mysql.sock".into());
        assert_eq!(endpoint("mysql://root@localhost/", "/tmp/mysql.sock"), socket);
        let tcp = Endpoint::Tcp(Ipv4Addr::LOCALHOST.into(), 3306);
        assert_eq!(endpoint("mysql://root@localhost/", ""), tcp);
        assert_eq!(endpoint("mysql://root@localhost:3306/", "/tmp/mysql.sock"), tcp);
    }

    proptest! {
        #[test]
        fn no_text_panics(text in ".{0,60}") {
            let _ = parse(&text, |_| false, one_host);
            let _ = parse(&format!("mysql://{text}"), |_| false, one_host);
        }
    }
}
