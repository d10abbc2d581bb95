//! Where the driver connects to.

use logtrace_common::{Connection, Endpoint, Tls};
use logtrace_driver::{Address, Target};

/// A database of a server.
pub fn target(connection: &Connection, database: &str) -> Target {
    let address = match &connection.endpoint {
        Endpoint::Socket(path) => Address::Socket(path.clone()),
        Endpoint::Tcp(address, port) => Address::Tcp {
            host: address.to_string(),
            port: *port,
        },
    };
    Target {
        address,
        user: connection.user.clone(),
        password: connection
            .password
            .as_ref()
            .map(|password| password.expose().to_owned()),
        database: database.into(),
        encrypted: connection.tls == Tls::Required,
    }
}
