//! Whether an address is of this machine.

use std::io;
use std::net::{SocketAddr, UdpSocket};

use logtrace_common::Endpoint;

/// Returns whether `endpoint` is an address of another machine, as seen from the network namespace of this process.
///
/// The kernel binds a socket to addresses of its own only (`EADDRNOTAVAIL`, ip(7)). So a server that listens on all
/// addresses of this machine is never taken for the one at another machine's address. An address of this machine is never
/// remote, even if no process is found behind it: a forwarded port stays refused.
pub fn is_remote(endpoint: &Endpoint) -> bool {
    let Endpoint::Tcp(address, _) = endpoint else {
        return false;
    };
    let bound = UdpSocket::bind(SocketAddr::new(*address, 0));
    bound.is_err_and(|error| error.kind() == io::ErrorKind::AddrNotAvailable)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_of_this_machine_are_known_without_a_listener() {
        let is_remote = |address: &str| is_remote(&Endpoint::Tcp(address.parse().unwrap(), 1));
        assert!(!is_remote("127.0.0.1") && !is_remote("127.1.2.3"));
        // A block for documentation (RFC 5737), which no machine has.
        assert!(is_remote("192.0.2.1"));
        assert!(!super::is_remote(&Endpoint::Socket("/run/x".into())));
    }
}
