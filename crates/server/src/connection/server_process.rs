//! Server process that answers on an address.

use std::io;

use anyhow::{Context, ensure};
use logtrace_common::{
    CONNECT_TIMEOUT, ConnectError, Connection, Endpoint, Owner, OwnerProcess, ServerStream,
};
use procfs::process::{FDTarget, Process, all_processes};
use tokio::time::timeout;

use crate::connection::peer::Peer;
use crate::error::ServerError;

/// Returns the server process that answers on the address of a connection: the one that holds the other end of a new
/// connection. Fails if it is not to be trusted with a login: see [`Peer::check`]. Sends nothing to it.
pub(crate) async fn server_process(connection: &Connection) -> Result<Peer, ServerError> {
    let endpoint = &connection.endpoint;
    let found = timeout(CONNECT_TIMEOUT, held_by(endpoint)).await;
    let found = found.map_err(|_| ConnectError::NoAnswer(endpoint.clone()))?;
    let (_stream, owner) = found.map_err(|error| connection.explain(error))?;
    // The process is looked for while the connection is open.
    let peer = match owner {
        None
        | Some(Owner {
            process: OwnerProcess::Pid(0),
            ..
        }) => None,
        Some(Owner {
            uid,
            process: OwnerProcess::Pid(pid),
        }) => Some(Peer::open(pid, uid).with_context(|| unseen(endpoint))?),
        Some(Owner {
            uid,
            process: OwnerProcess::Inode(inode),
        }) => Some(holder(inode, uid).with_context(|| unseen(endpoint))?),
    };
    let peer = peer.with_context(|| {
        format!(
            "no process of this machine answers on {endpoint}: a forwarded port or a server in another container cannot \
             be measured by an address of this machine. Use its socket"
        )
    })?;
    peer.check(endpoint, connection.server_uid)?;
    Ok(peer)
}

async fn held_by(endpoint: &Endpoint) -> mysql_async::Result<(ServerStream, Option<Owner>)> {
    let stream = ServerStream::connect(endpoint, None).await?;
    let owner = stream.owner().await?;
    Ok((stream, owner))
}

fn unseen(endpoint: &Endpoint) -> String {
    format!("cannot find the process that answers on {endpoint} (run logtrace as root)")
}

/// Returns the process that holds a socket of this user. Fails if there is none, or if one of another user holds it too.
fn holder(inode: u64, uid: u32) -> anyhow::Result<Peer> {
    let holders = all_processes()?.flatten().filter(|process| holds(process, inode));
    let peers = holders.map(|process| Peer::of_process(u32::try_from(process.pid)?));
    let peers: Vec<Peer> = peers.collect::<anyhow::Result<_>>()?;
    for other in &peers {
        ensure!(
            other.uid == uid,
            "process {} of user {} holds the connection of user {uid} as well",
            other.process.pid(),
            other.uid
        );
    }
    let none = || {
        io::Error::new(
            io::ErrorKind::NotFound,
            "no process that is visible holds the connection",
        )
    };
    Ok(peers.into_iter().next().ok_or_else(none)?)
}

fn holds(process: &Process, socket: u64) -> bool {
    let Ok(fds) = process.fd() else {
        return false;
    };
    fds.flatten()
        .any(|fd| matches!(fd.target, FDTarget::Socket(inode) if inode == socket))
}

#[cfg(test)]
mod tests {
    use std::io::Write;
    use std::net::TcpListener;
    use std::thread;

    use super::*;

    #[tokio::test]
    async fn the_process_at_the_other_end_is_found() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let server = thread::spawn(move || {
            let (mut stream, _) = listener.accept().unwrap();
            stream.write_all(b"hello").unwrap();
            stream
        });
        let (_stream, owner) = held_by(&Endpoint::Tcp(address.ip(), address.port()))
            .await
            .unwrap();
        let server = server.join().unwrap();
        let Some(Owner {
            uid,
            process: OwnerProcess::Inode(inode),
        }) = owner
        else {
            panic!("{owner:?}")
        };
        let peer = holder(inode, uid).unwrap();
        assert_eq!(
            (peer.process.pid(), peer.uid),
            (std::process::id(), rustix::process::geteuid().as_raw())
        );
        let error = holder(inode, uid + 1).unwrap_err();
        assert!(error.to_string().contains("as well"), "{error}");
        drop(server);
        let error = holder(inode, uid).unwrap_err();
        assert!(error.to_string().contains("no process"), "{error}");
    }
}
