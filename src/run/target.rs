//! Where the driver connects to.

use logtrace_driver::{Address, Target};
use logtrace_server::{Connection, Endpoint};

/// A database of a private server.
pub(crate) fn target(server: &Connection, database: &str) -> Target {
    let address = match &server.endpoint {
        Endpoint::Socket(path) => Address::Socket(path.clone()),
        Endpoint::Tcp(host, port) => Address::Tcp {
            host: host.to_string(),
            port: *port,
        },
    };
    Target {
        address,
        user: server.user.clone(),
        password: None,
        database: database.into(),
        tls: server.tls.options(),
    }
}
