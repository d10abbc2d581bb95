//! Owner of the other end of a TCP connection within this network namespace (`sock_diag(7)`).

use std::io;
use std::net::SocketAddr;

use netlink_packet_core::{NLM_F_REQUEST, NetlinkHeader, NetlinkMessage, NetlinkPayload};
use netlink_packet_sock_diag::SockDiagMessage;
use netlink_packet_sock_diag::constants::{AF_INET, AF_INET6, IPPROTO_TCP};
use netlink_packet_sock_diag::inet::{ExtensionFlags, InetRequest, InetResponseHeader, SocketId, StateFlags};
use rustix::io::Errno;
use rustix::net::netlink::{SOCK_DIAG, SocketAddrNetlink};
use rustix::net::{
    AddressFamily, RecvFlags, SendFlags, SocketFlags, SocketType, connect, recv, send, socket_with,
};

/// Size of an answer with room for attributes.
const ANSWER_BYTES: usize = 4096;

/// Socket of a process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct SocketOwner {
    /// User who accepted or made the connection.
    pub(crate) uid: u32,
    pub(crate) inode: u32,
}

/// Returns who holds the socket with the address `theirs` that is connected to `ours`. Returns `None` if no process of this
/// network namespace does: the other end is elsewhere, is not accepted yet, or was closed.
pub(crate) fn owner(ours: SocketAddr, theirs: SocketAddr) -> io::Result<Option<SocketOwner>> {
    let (ours, theirs) = (canonical(ours), canonical(theirs));
    let flags = SocketFlags::CLOEXEC;
    let socket = socket_with(AddressFamily::NETLINK, SocketType::DGRAM, flags, Some(SOCK_DIAG))?;
    // From now on only the kernel can send to it.
    connect(&socket, &SocketAddrNetlink::new(0, 0))?;
    send(&socket, &request(ours, theirs), SendFlags::empty())?;
    let mut answer = [0; ANSWER_BYTES];
    // The kernel answers before `send` returns.
    let (length, _) = recv(&socket, &mut answer, RecvFlags::DONTWAIT)?;
    let found = answered(&answer[..length])?;
    Ok(found.and_then(|header| held(&header, ours, theirs)))
}

/// Returns the address with an IPv4 address that is written as IPv6 as what it is.
fn canonical(address: SocketAddr) -> SocketAddr {
    SocketAddr::new(address.ip().to_canonical(), address.port())
}

/// Returns the question for one socket. Among IPv4 addresses the kernel also finds sockets of IPv6 that accept IPv4.
fn request(ours: SocketAddr, theirs: SocketAddr) -> Vec<u8> {
    let mut header = NetlinkHeader::default();
    header.flags = NLM_F_REQUEST;
    let question = SockDiagMessage::InetRequest(InetRequest {
        family: if theirs.is_ipv4() { AF_INET } else { AF_INET6 },
        protocol: IPPROTO_TCP,
        extensions: ExtensionFlags::empty(),
        states: StateFlags::all(),
        socket_id: SocketId {
            source_port: theirs.port(),
            destination_port: ours.port(),
            source_address: theirs.ip(),
            destination_address: ours.ip(),
            interface_id: 0,
            // Not known (`INET_DIAG_NOCOOKIE`).
            cookie: [0xff; 8],
        },
    });
    let mut message = NetlinkMessage::new(header, question.into());
    message.finalize();
    let mut bytes = vec![0; message.buffer_len()];
    message.serialize(&mut bytes);
    bytes
}

/// Reads the kernel's answer. Returns `None` if there is no such socket.
fn answered(answer: &[u8]) -> io::Result<Option<InetResponseHeader>> {
    let unreadable = || io::Error::other("cannot read the kernel's answer on the other end of a connection");
    let message = NetlinkMessage::<SockDiagMessage>::deserialize(answer).map_err(|_| unreadable())?;
    match message.payload {
        NetlinkPayload::InnerMessage(SockDiagMessage::InetResponse(response)) => Ok(Some(response.header)),
        NetlinkPayload::Error(error) => match Errno::from_raw_os_error(-error.raw_code()) {
            // Also where the kernel was built without `CONFIG_INET_DIAG`.
            Errno::NOENT => Ok(None),
            other => Err(other.into()),
        },
        _ => Err(unreadable()),
    }
}

/// Returns the owner of a socket that was found, if it is the one that was meant and a process holds it. A socket without a
/// process has no inode, and on many kernels the user 0.
fn held(found: &InetResponseHeader, ours: SocketAddr, theirs: SocketAddr) -> Option<SocketOwner> {
    let SocketId {
        source_port,
        destination_port,
        source_address,
        destination_address,
        ..
    } = found.socket_id;
    // Without a connection the kernel answers with a socket that listens.
    let is_meant = canonical((source_address, source_port).into()) == theirs
        && canonical((destination_address, destination_port).into()) == ours;
    (is_meant && found.inode != 0).then_some(SocketOwner {
        uid: found.uid,
        inode: found.inode,
    })
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::net::{TcpListener, TcpStream};
    use std::os::fd::AsRawFd;
    use std::thread;
    use std::time::{Duration, Instant};

    use super::*;

    /// Returns the inode of a socket of this process, as `/proc` has it.
    fn inode(socket: &impl AsRawFd) -> u32 {
        let link = fs::read_link(format!("/proc/self/fd/{}", socket.as_raw_fd())).unwrap();
        let link = link.to_str().unwrap();
        link.strip_prefix("socket:[")
            .unwrap()
            .strip_suffix(']')
            .unwrap()
            .parse()
            .unwrap()
    }

    #[test]
    fn the_owner_of_the_other_end_is_found_by_every_address() {
        let me = rustix::process::geteuid().as_raw();
        // Listens at, connects to. The second and third socket of the server is one of IPv6 that accepts IPv4.
        for (at, to) in [
            ("127.0.0.1:0", "127.0.0.1"),
            ("[::]:0", "127.0.0.1"),
            ("[::]:0", "::ffff:127.0.0.1"),
            ("[::1]:0", "::1"),
            ("0.0.0.0:0", "127.3.2.1"),
        ] {
            let listener = TcpListener::bind(at).unwrap();
            let to = (
                to.parse::<std::net::IpAddr>().unwrap(),
                listener.local_addr().unwrap().port(),
            );
            let client = TcpStream::connect(to).unwrap();
            let (ours, theirs) = (client.local_addr().unwrap(), client.peer_addr().unwrap());
            assert_eq!(
                owner(ours, theirs).unwrap(),
                None,
                "not accepted yet: {at} {to:?}"
            );
            let (server, _) = listener.accept().unwrap();
            let owned = |inode| Some(SocketOwner { uid: me, inode });
            assert_eq!(owner(ours, theirs).unwrap(), owned(inode(&server)), "{at} {to:?}");
            // Seen from the other side.
            assert_eq!(owner(theirs, ours).unwrap(), owned(inode(&client)), "{at} {to:?}");
            drop(server);
            // A process that another test starts has a copy of each socket until it executes its program.
            let deadline = Instant::now() + Duration::from_secs(10);
            while owner(ours, theirs).unwrap().is_some() && Instant::now() < deadline {
                thread::yield_now();
            }
            assert_eq!(owner(ours, theirs).unwrap(), None, "closed: {at} {to:?}");
        }
    }

    #[test]
    fn a_listener_is_not_the_other_end() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let theirs = listener.local_addr().unwrap();
        assert_eq!(owner("127.0.0.1:1".parse().unwrap(), theirs).unwrap(), None);
        assert_eq!(owner("192.0.2.1:1".parse().unwrap(), theirs).unwrap(), None);
    }

    #[test]
    fn answers_that_are_none_are_errors() {
        for answer in [&[][..], &[0; 16], &[0xff; 100]] {
            answered(answer).unwrap_err();
        }
    }
}
