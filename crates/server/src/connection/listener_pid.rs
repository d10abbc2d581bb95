//! Server process that listens on an address.

use logtrace_common::Endpoint;
use std::fs;
use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::path::Path;

use anyhow::{Context, bail, ensure};
use procfs::ProcResult;
use procfs::net::TcpState;
use procfs::process::{FDTarget, Process, all_processes};
use tokio::net::UnixStream;

/// Returns the server process that listens on `endpoint`, by the credentials of the socket or by its holder.
pub(crate) async fn server_process(endpoint: &Endpoint) -> anyhow::Result<u32> {
    let pid = match endpoint {
        Endpoint::Socket(path) => socket_peer(path)
            .await
            .with_context(|| format!("cannot reach {endpoint}"))?,
        Endpoint::Tcp(address, port) => {
            tcp_listener(SocketAddr::new(*address, *port)).with_context(|| {
                format!("cannot find the process that listens on {endpoint} (run logtrace as root)")
            })?
        }
    };
    let Some(pid) = pid else {
        bail!(
            "no process of this machine listens on {endpoint}: a forwarded port or a server in another container cannot \
             be measured by an address of this machine. Use its socket"
        );
    };
    let program =
        fs::read_link(format!("/proc/{pid}/exe")).with_context(|| format!("cannot reach {endpoint}"))?;
    ensure!(
        is_server(&program),
        "process {pid} behind {endpoint} is {}, neither mysqld nor mariadbd",
        program.display()
    );
    Ok(pid)
}

/// Returns the process that listens on a socket (`SO_PEERCRED`, unix(7)). The kernel reports 0 for a process of another
/// PID namespace.
async fn socket_peer(path: &Path) -> io::Result<Option<u32>> {
    let pid = UnixStream::connect(path).await?.peer_cred()?.pid();
    Ok(pid
        .and_then(|pid| u32::try_from(pid).ok())
        .filter(|&pid| pid != 0))
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

/// Returns whether a program is `mysqld` or `mariadbd`, a debug build of one, or one whose file an upgrade replaced.
pub(crate) fn is_server(program: &Path) -> bool {
    let name = program.file_name().unwrap_or_default().to_string_lossy();
    ["mysqld", "mariadbd"]
        .iter()
        .any(|server| name.starts_with(server) && !name.contains("safe"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_of_servers_are_told_by_name() {
        for server in [
            "/usr/sbin/mysqld",
            "/x/mysqld-debug",
            "/usr/sbin/mariadbd (deleted)",
        ] {
            assert!(is_server(Path::new(server)), "{server}");
        }
        for other in [
            "/usr/bin/mysqld_safe",
            "/usr/bin/docker-proxy",
            "/usr/bin/mysql",
            "",
        ] {
            assert!(!is_server(Path::new(other)), "{other}");
        }
    }

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
