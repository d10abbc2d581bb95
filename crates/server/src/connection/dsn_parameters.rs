//! Parameters in the address of a server, after the question mark.

use std::path::PathBuf;

use strum::VariantNames;
use url::Url;

use logtrace_common::{SslMode, Tls};

/// Names of all parameters.
const KNOWN: &str = "socket, ssl-mode, ssl-ca, get-server-public-key and server-user";

/// Why an abstract socket (unix(7)) is refused. It has no owner, so nothing says who listens on it.
pub const ABSTRACT_SOCKET: &str = "an abstract socket (@NAME) has no file, and so no owner that could be checked before a login. Name the \
     path of the server's socket file, or its port";

/// Parameters of an address.
#[derive(Debug, Default)]
pub(crate) struct Parameters {
    pub(crate) socket: Option<PathBuf>,
    pub(crate) tls: Tls,
    /// User of the server's process.
    pub(crate) server_uid: Option<u32>,
}

impl Parameters {
    /// Reads the parameters. An error repeats no value: it may be a password.
    pub(crate) fn of(url: &Url) -> Result<Self, String> {
        let mut parameters = Self::default();
        for (key, value) in url.query_pairs() {
            parameters.set(&key.replace('_', "-"), &value)?;
        }
        let Tls { mode, ca, .. } = &parameters.tls;
        match (*mode >= SslMode::VerifyCa, ca) {
            (true, None) => {
                Err("this ssl-mode needs ssl-ca=FILE, the certificates of authorities".to_owned())
            }
            (false, Some(_)) => {
                Err("ssl-ca checks nothing without ssl-mode=verify-ca or verify-identity".to_owned())
            }
            _ => Ok(parameters),
        }
    }

    fn set(&mut self, key: &str, value: &str) -> Result<(), String> {
        match key {
            "socket" if value.starts_with('@') => return Err(ABSTRACT_SOCKET.to_owned()),
            "socket" => self.socket = Some(absolute("the socket's path", value)?),
            "ssl-ca" => self.tls.ca = Some(absolute("the path of ssl-ca", value)?),
            "ssl-mode" => {
                let mode = value.to_ascii_lowercase().replace('-', "_");
                let known = || format!("unknown ssl-mode, known are {}", SslMode::VARIANTS.join(", "));
                self.tls.mode = mode.parse().map_err(|_| known())?;
            }
            "get-server-public-key" => {
                self.tls.get_server_public_key = match value {
                    "true" | "1" | "" => true,
                    "false" | "0" => false,
                    _ => return Err("get-server-public-key is true or false".to_owned()),
                }
            }
            "server-user" => self.server_uid = Some(user_id(value)?),
            _ => return Err(unknown(key, value)),
        }
        Ok(())
    }
}

fn absolute(what: &str, value: &str) -> Result<PathBuf, String> {
    match value.starts_with('/') {
        true => Ok(value.into()),
        false => Err(format!("{what} must be absolute")),
    }
}

fn user_id(name: &str) -> Result<u32, String> {
    let by_name = || uzers::get_user_by_name(name).map(|user| user.uid());
    let id = name.parse().ok().or_else(by_name);
    id.ok_or_else(|| "server-user is neither a user of this machine nor a number".to_owned())
}

/// Repeats a key only if it can be one: what has no value may be a password.
fn unknown(key: &str, value: &str) -> String {
    let is_key = !value.is_empty() && key.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'-');
    match is_key {
        true => format!("unknown parameter {key:?}, known are {KNOWN}"),
        false => format!("unknown parameter, known are {KNOWN}"),
    }
}
