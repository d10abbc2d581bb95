//! Connections of users to running servers: the address as users write it, option files, passwords, and who answers there.

pub(crate) mod dsn_parameters;
pub(crate) mod locality;
pub(crate) mod option_file;
pub(crate) mod peer;
pub(crate) mod private_text;
pub(crate) mod server_process;

use std::borrow::Cow;
use std::fmt::Display;
use std::net::{IpAddr, Ipv4Addr, ToSocketAddrs};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use anyhow::{Context, anyhow, bail};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str, percent_encode};
use url::{Host, ParseError, Url};

use crate::connection::dsn_parameters::Parameters;
use logtrace_common::{Connection, Endpoint, PASSWORD_VARIABLE, SslMode};

/// Usual paths of a server's socket, in the order of search. None is in a directory in which every user could make one.
const USUAL_SOCKETS: [&str; 2] = ["/run/mysqld/mysqld.sock", "/var/lib/mysql/mysql.sock"];

const USUAL_PORT: u16 = 3306;

/// Error for an address with another scheme, or without one.
const NO_SCHEME: &str = "it must start with mysql://";

/// Characters of a user's name that are written as %XX: all that a URL or a shell may read otherwise.
const IN_USER: &AsciiSet = &NON_ALPHANUMERIC.remove(b'.').remove(b'-').remove(b'_');

/// The same in a path, which may have slashes.
const IN_PATH: &AsciiSet = &IN_USER.remove(b'/');

/// Reads the address of a server, `mysql://user@host[:port]/database?socket=PATH&ssl-mode=MODE`. Looks up the name of
/// another host.
///
/// The user is `root` if the address names none. An address with a password is refused, and not repeated in the error.
/// `localhost` and nothing more means the usual socket if there is one, else the usual port.
pub fn parse_dsn(text: &str) -> anyhow::Result<Connection> {
    parse(text, Path::exists, address_of)
}

/// Writes the address and account of a server, so that [`parse_dsn`] reads the same.
pub fn write_dsn(connection: &Connection) -> String {
    let user = percent_encode(connection.user.as_bytes(), IN_USER);
    match &connection.endpoint {
        Endpoint::Socket(path) => {
            let path = percent_encode(path.as_os_str().as_bytes(), IN_PATH);
            format!("mysql://{user}@localhost/?socket={path}")
        }
        endpoint @ Endpoint::Tcp(..) => format!("mysql://{user}@{endpoint}/"),
    }
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
    let url = Url::parse(text).map_err(|error| match error {
        // A word, a path or the address of a host, all without a scheme.
        ParseError::RelativeUrlWithoutBase => malformed(text, NO_SCHEME),
        error => malformed(text, error),
    })?;
    let has_password_key = |(key, _): (Cow<'_, str>, _)| is_password_key(&key);
    if url.password().is_some() || url.query_pairs().any(has_password_key) {
        bail!(
            "the server's address holds a password, which every user of this machine could read: remove it and use \
             --password-file, --ask-password or the environment variable {PASSWORD_VARIABLE}"
        );
    }
    if !matches!(url.scheme(), "mysql" | "mariadb") {
        return Err(malformed(text, NO_SCHEME));
    }
    if url.path().contains('@') || url.fragment().is_some() {
        let reason = "it has an @ or # behind the host. Write each character of a name that is no letter or digit as %XX";
        return Err(malformed(text, reason));
    }
    let Parameters {
        socket,
        mut tls,
        server_uid,
    } = Parameters::of(&url).map_err(|reason| malformed(text, reason))?;
    let endpoint = endpoint(text, &url, socket.as_deref(), tls.mode, exists, address_of)?;
    tls.host = url
        .host_str()
        .filter(|host| !host.is_empty())
        .map(|host| host.trim_matches(['[', ']']).to_owned());
    Ok(Connection {
        endpoint,
        user: non_empty(text, url.username())?.unwrap_or_else(|| "root".to_owned()),
        password: None,
        database: non_empty(text, url.path().trim_start_matches('/'))?,
        tls,
        server_uid,
    })
}

fn endpoint(
    text: &str,
    url: &Url,
    socket: Option<&Path>,
    mode: SslMode,
    exists: impl Fn(&Path) -> bool,
    address_of: impl Fn(&str) -> anyhow::Result<IpAddr>,
) -> anyhow::Result<Endpoint> {
    let is_encrypted = mode != SslMode::Disabled;
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

/// Returns whether a parameter of this name would hold a password.
fn is_password_key(key: &str) -> bool {
    let key = key.to_ascii_lowercase();
    key.contains("pass") || key.contains("pwd")
}

/// Returns the text without its parameters, whose values are never repeated, or a placeholder if the account may contain a
/// password.
fn without_secrets(text: &str) -> &str {
    let shown = text.split(['?', '#']).next().unwrap_or_default();
    let after_scheme = text.split_once("://").map_or(text, |(_, after)| after);
    // What a socket's name begins with belongs to no account.
    let after_scheme = after_scheme.replace("socket=@", "socket=");
    let account = after_scheme.rsplit_once('@').map_or("", |(account, _)| account);
    match account.contains([':', '/', '?', '#']) {
        true => "(hidden, it seems to hold a password)",
        false => shown,
    }
}

fn malformed(text: &str, reason: impl Display) -> anyhow::Error {
    anyhow!(
        "{:?} is not a server's address: {reason}. Write mysql://USER@localhost/DATABASE?socket=PATH or \
         mysql://USER@HOST:PORT/DATABASE",
        without_secrets(text)
    )
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use logtrace_common::Tls;

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
                tls: Tls {
                    host: Some("127.0.0.1".into()),
                    ..Tls::default()
                },
                server_uid: None,
            }
        );
        assert_eq!(
            dsn("mysql://root@localhost/?socket=/run/my%20sql/mysqld.sock"),
            Connection {
                endpoint: Endpoint::Socket("/run/my sql/mysqld.sock".into()),
                user: "root".into(),
                password: None,
                database: None,
                tls: Tls {
                    host: Some("localhost".into()),
                    ..Tls::default()
                },
                server_uid: None,
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
        let tls = |parameters: &str| dsn(&format!("mysql://root@db.example.org/?{parameters}")).tls;
        assert_eq!(tls("ssl-mode=DISABLED").mode, SslMode::Disabled);
        assert_eq!(tls("ssl-mode=required").mode, SslMode::Required);
        assert_eq!(tls("ssl_mode=PREFERRED").mode, SslMode::Preferred);
        assert_eq!(tls("ssl-mode=verify-ca&ssl-ca=/x").mode, SslMode::VerifyCa);
        let identity = tls("ssl-mode=VERIFY_IDENTITY&ssl-ca=/etc/ca.pem");
        assert_eq!(identity.mode, SslMode::VerifyIdentity);
        assert_eq!(identity.ca.as_deref(), Some(Path::new("/etc/ca.pem")));
        assert_eq!(identity.host_name(), "db.example.org");
        assert!(tls("get-server-public-key=true").get_server_public_key);
        assert!(!tls("get-server-public-key=false").get_server_public_key);
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
            "mysql://root@localhost/?pwd=geheim",
            "mysql://root@localhost/?Passwd=geheim",
            "mysql://root:geheim@db.example.org/",
            "http://root:geheim@localhost/",
        ] {
            let error = refused(text);
            assert!(error.contains("holds a password"), "{text}");
            assert!(!error.contains("geheim"));
        }
        for text in [
            "mysql://root:geheim@[::/",
            "mysql://root:12/geheim@localhost/",
            "mysql://root:12#geheim@localhost/",
            "mysql://root:12?geheim@localhost/",
            "mysql://root@localhost/?secret=geheim",
            "mysql://root@localhost/?geheim",
            "mysql://root@localhost/?ssl-mode=geheim",
            "mysql://root@localhost/?ssl-mode=required&secret=geheim",
            "mysql://root@localhost/#geheim",
            "mysql://root@localhost:99999/?a=geheim",
        ] {
            let error = refused(text);
            assert!(!error.contains("geheim"), "{error}");
        }
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
            "mysql://root@localhost/?ssl-mode=always",
            "mysql://root@10.0.0.1/?ssl-mode=verify-ca",
            "mysql://root@10.0.0.1/?ssl-mode=required&ssl-ca=/x",
            "mysql://root@10.0.0.1/?ssl-mode=verify-ca&ssl-ca=relative",
            "mysql://root@10.0.0.1/?server-user=no-such-user-here",
            "mysql://root@10.0.0.1/?get-server-public-key=perhaps",
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
        let usual = USUAL_SOCKETS[0];
        let socket = Endpoint::Socket(usual.into());
        assert_eq!(endpoint("mysql://root@localhost/", usual), socket);
        let tcp = Endpoint::Tcp(Ipv4Addr::LOCALHOST.into(), 3306);
        assert_eq!(endpoint("mysql://root@localhost/", ""), tcp);
        assert_eq!(endpoint("mysql://root@localhost:3306/", usual), tcp);
        // Any user could have made it.
        assert_eq!(endpoint("mysql://root@localhost/", "/tmp/mysql.sock"), tcp);
    }

    proptest! {
        #[test]
        fn what_is_written_is_read(
            user in "[^\0]{1,20}", path in "/[^\0]{0,40}", address: IpAddr, port: u16, is_socket: bool,
        ) {
            prop_assume!(!address.is_unspecified());
            let endpoint = match is_socket {
                true => Endpoint::Socket(path.into()),
                false => Endpoint::Tcp(address, port),
            };
            let written = write_dsn(&Connection { endpoint: endpoint.clone(), user: user.clone(), ..dsn("mysql://localhost") });
            // It is printed between these, for a shell.
            prop_assert!(!written.contains('\''), "{written}");
            let read = dsn(&written);
            prop_assert_eq!((read.endpoint, read.user), (endpoint, user), "{}", written);
        }

        #[test]
        fn no_text_panics(text in ".{0,60}") {
            let _ = parse(&text, |_| false, one_host);
            let _ = parse(&format!("mysql://{text}"), |_| false, one_host);
        }
    }
}
