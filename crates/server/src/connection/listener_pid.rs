//! Server process that listens on an address.

use logtrace_common::{Connection, Endpoint};
use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::path::Path;

use anyhow::Context;
use mysql_async::IoError;
use procfs::ProcResult;
use procfs::net::TcpState;
use procfs::process::{FDTarget, Process, all_processes};
use tokio::net::{TcpStream, UnixStream};

use crate::connection::peer::Peer;
use crate::error::ServerError;

/// Returns the server process that listens on the address of a connection, by the credentials of the socket or by its
/// holder. Fails if it is not to be trusted with a login: see [`Peer::check`]. Sends nothing to it.
pub(crate) async fn server_process(connection: &Connection) -> Result<Peer, ServerError> {
    let endpoint = &connection.endpoint;
    let explain = |error| connection.explain(mysql_async::Error::Io(IoError::Io(error)));
    let peer = match endpoint {
        Endpoint::Socket(path) => socket_peer(path).await.map_err(explain)?,
        Endpoint::Tcp(address, port) => {
            let address = SocketAddr::new(*address, *port);
            let pid = tcp_listener(address).with_context(|| unseen(endpoint))?;
            if pid.is_none() {
                TcpStream::connect(address).await.map_err(explain)?;
            }
            let peer = pid.map(Peer::of_process).transpose();
            peer.with_context(|| unseen(endpoint))?
        }
    };
    let peer = peer.with_context(|| {
        format!(
            "no process of this machine listens on {endpoint}: a forwarded port or a server in another container cannot \
             be measured by an address of this machine. Use its socket"
        )
    })?;
    peer.check(endpoint, connection.server_uid)?;
    Ok(peer)
}

fn unseen(endpoint: &Endpoint) -> String {
    format!("cannot find the process that listens on {endpoint} (run logtrace as root)")
}

/// Returns the process that listens on a socket (`SO_PEERCRED`, unix(7)). The kernel reports 0 for a process of another
/// PID namespace.
async fn socket_peer(path: &Path) -> io::Result<Option<Peer>> {
    let credentials = UnixStream::connect(path).await?.peer_cred()?;
    let pid = credentials.pid().and_then(|pid| u32::try_from(pid).ok());
    Ok(pid.filter(|&pid| pid != 0).map(|pid| Peer {
        pid,
        uid: credentials.uid(),
    }))
}

fn tcp_listener(target: SocketAddr) -> ProcResult<Option<u32>> {
    let mut entries = procfs::net::tcp()?;
    // Not there where IPv6 is switched off.
    entries.extend(procfs::net::tcp6().unwrap_or_default());
    let inodes: Vec<u64> = entries
        .iter()
        .filter(|entry| entry.state == TcpState::Listen && takes(entry.local_address, target))
        .map(|entry| entry.inode)
        .collect();
    let holder = all_processes()?
        .flatten()
        .find(|process| holds_socket(process, &inodes));
    Ok(holder.and_then(|process| u32::try_from(process.pid).ok()))
}

fn holds_socket(process: &Process, inodes: &[u64]) -> bool {
    let Ok(fds) = process.fd() else {
        return false;
    };
    fds.flatten()
        .any(|fd| matches!(fd.target, FDTarget::Socket(inode) if inodes.contains(&inode)))
}

/// Returns whether a socket that is bound to `local` accepts connections to `target`.
fn takes(local: SocketAddr, target: SocketAddr) -> bool {
    let any = match local.ip() {
        IpAddr::V4(ip) => ip == Ipv4Addr::UNSPECIFIED && target.is_ipv4(),
        // A socket bound to every IPv6 address takes IPv4 as well.
        IpAddr::V6(ip) => ip == Ipv6Addr::UNSPECIFIED,
    };
    local.port() == target.port() && (any || local.ip().to_canonical() == target.ip())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_listener_on_every_address_listens_on_loopback() {
        let takes = |local: &str, target: &str| takes(local.parse().unwrap(), target.parse().unwrap());
        let v4 = "127.0.0.1:3306";
        for local in [v4, "0.0.0.0:3306", "[::]:3306", "[::ffff:127.0.0.1]:3306"] {
            assert!(takes(local, v4), "{local}");
        }
        for local in ["127.0.0.1:3307", "10.0.0.1:3306", "[::1]:3306"] {
            assert!(!takes(local, v4), "{local}");
        }
        assert!(takes("[::]:3306", "[::1]:3306") && takes("[::1]:3306", "[::1]:3306"));
        assert!(!takes("0.0.0.0:3306", "[::1]:3306"));
    }

    #[test]
    fn the_holder_of_a_listening_socket_is_found() {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let pid = tcp_listener(address).unwrap();
        assert_eq!(pid, Some(std::process::id()));
        drop(listener);
        let pid = tcp_listener(address).unwrap();
        assert_eq!(pid, None);
    }
}
