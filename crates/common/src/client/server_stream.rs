//! Stream to a server, and who holds its other end. Nothing is sent before that is known.
//!
//! The process is checked before the first login, and after it ended another one may take its socket or port. So each
//! connection asks the kernel about its own other end. The listener of a port would not do: several may have it, and a
//! socket on `[::]` takes IPv4 or does not. The user is compared and not the process, because a server may be started
//! again during a run.

use std::io;
use std::net::SocketAddr;
use std::os::fd::OwnedFd;
use std::time::Duration;

use mysql_async::{IoError, ServerError};
use rustix::net::sockopt::{set_socket_keepalive, set_tcp_keepidle};
use thiserror::Error;
use tokio::net::{TcpStream, UnixStream};

use crate::client::tcp_peer::owner;
use crate::connection::Endpoint;

/// Time that a server has to greet a client and to let it in.
pub const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);

/// Idle time after which the kernel probes a TCP connection.
///
/// The connection that holds the lock of a running server is idle for a whole measurement. Balancers and firewalls drop
/// connections on which they see nothing for some minutes, many of them without a word to either end.
pub(crate) const KEEPALIVE_IDLE: Duration = Duration::from_secs(60);

/// Bytes of a greeting that are looked at: enough for an error and its text.
const PEEKED_BYTES: usize = 512;

/// Connected stream to which nothing was sent.
#[derive(Debug)]
pub enum ServerStream {
    /// Unix-domain socket.
    Socket(UnixStream),
    /// TCP connection. Small packets are sent immediately.
    Tcp(TcpStream),
}

/// Process at the other end of a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Owner {
    /// User of the process.
    pub uid: u32,
    /// What leads to the process.
    pub process: OwnerProcess,
}

/// What leads to a process at the other end of a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OwnerProcess {
    /// Process ID; 0 for a process of another PID namespace.
    Pid(u32),
    /// Inode of its socket.
    Inode(u64),
}

/// Reason to send nothing over a connection.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum NotTheServer {
    /// Another user than the server's holds the other end.
    #[error(
        "a process of user {found} answers on {endpoint}, and the server's is of user {expected}: did the server end? Nothing was sent"
    )]
    OtherUser {
        /// Address of the server.
        endpoint: Endpoint,
        /// User of the process.
        found: u32,
        /// User of the server.
        expected: u32,
    },
    /// No process of this network namespace holds the other end.
    #[error(
        "no process of this machine is at the other end of a connection to {0}, though the server was: is the port forwarded now? Nothing was sent"
    )]
    Elsewhere(Endpoint),
}

impl ServerStream {
    /// Connects. Fails with [`NotTheServer`] if `server_uid` is known and a process of another user is at the other end. On
    /// TCP this waits without limit for the greeting, as the login would.
    pub async fn connect(endpoint: &Endpoint, server_uid: Option<u32>) -> mysql_async::Result<Self> {
        let stream = match endpoint {
            Endpoint::Socket(path) => Self::Socket(UnixStream::connect(path).await?),
            Endpoint::Tcp(address, port) => Self::Tcp(kept_alive((*address, *port).into()).await?),
        };
        let Some(expected) = server_uid else {
            return Ok(stream);
        };
        let not_the_server = match stream.owner().await? {
            Some(Owner { uid, .. }) if uid == expected => return Ok(stream),
            Some(Owner { uid: found, .. }) => NotTheServer::OtherUser {
                endpoint: endpoint.clone(),
                found,
                expected,
            },
            None => NotTheServer::Elsewhere(endpoint.clone()),
        };
        Err(io::Error::new(io::ErrorKind::PermissionDenied, not_the_server).into())
    }

    /// Returns who holds the other end, or `None` if no process of this network namespace does. Of a Unix-domain socket it is
    /// who listened (`SO_PEERCRED`, unix(7)).
    ///
    /// A TCP connection has an owner once the server accepted it, which its greeting shows. A server that greets with an error
    /// closes the connection, and then has none: its error is returned. Nobody sends anything after it.
    pub async fn owner(&self) -> mysql_async::Result<Option<Owner>> {
        let stream = match self {
            Self::Socket(stream) => return Ok(Some(listener(stream)?)),
            Self::Tcp(stream) => stream,
        };
        let mut begin = [0; PEEKED_BYTES];
        let length = stream.peek(&mut begin).await?;
        let found = owner(stream.local_addr()?, stream.peer_addr()?)?;
        match (found, refusal(&begin[..length])) {
            (Some(owner), _) => Ok(Some(Owner {
                uid: owner.uid,
                process: OwnerProcess::Inode(owner.inode.into()),
            })),
            (None, Some(error)) => Err(error.into()),
            (None, None) if length == 0 => Err(io::Error::from(io::ErrorKind::UnexpectedEof).into()),
            (None, None) => Ok(None),
        }
    }

    /// Returns the descriptor, which no event loop watches any more.
    pub fn into_fd(self) -> io::Result<OwnedFd> {
        Ok(match self {
            Self::Socket(stream) => stream.into_std()?.into(),
            Self::Tcp(stream) => stream.into_std()?.into(),
        })
    }
}

impl NotTheServer {
    /// Returns the reason in an error of the client library, if it is there.
    pub(crate) fn in_error(error: &mysql_async::Error) -> Option<&Self> {
        match error {
            mysql_async::Error::Io(IoError::Io(error)) => error.get_ref()?.downcast_ref(),
            _ => None,
        }
    }
}

/// Connects by TCP.
async fn kept_alive(address: SocketAddr) -> io::Result<TcpStream> {
    let stream = TcpStream::connect(address).await?;
    stream.set_nodelay(true)?;
    set_tcp_keepidle(&stream, KEEPALIVE_IDLE)?;
    set_socket_keepalive(&stream, true)?;
    Ok(stream)
}

fn listener(stream: &UnixStream) -> io::Result<Owner> {
    let credentials = stream.peer_cred()?;
    let pid = credentials.pid().and_then(|pid| u32::try_from(pid).ok());
    Ok(Owner {
        uid: credentials.uid(),
        process: OwnerProcess::Pid(pid.unwrap_or_default()),
    })
}

/// Reads an error in the place of a greeting (`ERR_Packet` of the protocol documentation).
fn refusal(greeting: &[u8]) -> Option<ServerError> {
    let [low, middle, high, _number, 0xff, code_low, code_high, ..] = *greeting else {
        return None;
    };
    let end = 4 + u32::from_le_bytes([low, middle, high, 0]) as usize;
    let text = greeting.get(7..end.min(greeting.len())).unwrap_or_default();
    let (state, text) = match text {
        [b'#', rest @ ..] => rest.split_at_checked(5)?,
        text => (&b"HY000"[..], text),
    };
    let lossy = |text: &[u8]| String::from_utf8_lossy(text).into_owned();
    Some(ServerError {
        code: u16::from_le_bytes([code_low, code_high]),
        message: lossy(text),
        state: lossy(state),
    })
}

#[cfg(test)]
mod tests {
    use std::io::Write;
    use std::net::TcpListener;
    use std::os::unix::net::UnixListener;
    use std::thread;

    use rustix::net::sockopt::{socket_keepalive, tcp_keepidle};

    use super::*;

    /// Connects to a listener of this process that sends `greeting`, and closes the connection if `closes`.
    async fn greeted(
        greeting: &'static [u8],
        closes: bool,
        server_uid: Option<u32>,
    ) -> mysql_async::Result<ServerStream> {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let server = thread::spawn(move || {
            let (mut stream, _) = listener.accept().unwrap();
            stream.write_all(greeting).unwrap();
            (!closes).then_some(stream)
        });
        let endpoint = Endpoint::Tcp(address.ip(), address.port());
        if closes {
            let stream = ServerStream::connect(&endpoint, None).await.unwrap();
            server.join().unwrap();
            return stream.owner().await.map(|_| stream);
        }
        let connected = ServerStream::connect(&endpoint, server_uid).await;
        server.join().unwrap();
        connected
    }

    #[tokio::test]
    async fn a_process_of_another_user_is_refused_on_tcp_and_on_a_socket() {
        let me = rustix::process::geteuid().as_raw();
        greeted(b"hello", false, Some(me)).await.unwrap();
        let error = greeted(b"hello", false, Some(me + 1)).await.unwrap_err();
        let found = NotTheServer::in_error(&error);
        assert!(matches!(found, Some(NotTheServer::OtherUser { found, .. }) if *found == me));

        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("sock");
        let _listener = UnixListener::bind(&path).unwrap();
        let endpoint = Endpoint::Socket(path);
        ServerStream::connect(&endpoint, Some(me)).await.unwrap();
        let error = ServerStream::connect(&endpoint, Some(me + 1)).await.unwrap_err();
        assert!(
            error.to_string().contains(&format!("user {me} answers")),
            "{error}"
        );
    }

    #[tokio::test]
    async fn a_server_that_refuses_and_closes_is_quoted() {
        let full = b"\x17\0\0\0\xff\x10\x04Too many connections";
        for greeting in [
            full.as_slice(),
            b"\x1d\0\0\0\xff\x10\x04#08004Too many connections",
        ] {
            let error = greeted(greeting, true, None).await.unwrap_err();
            let mysql_async::Error::Server(error) = error else {
                panic!("{error}")
            };
            assert_eq!(
                (error.code, error.message.as_str()),
                (1040, "Too many connections")
            );
        }
        let error = greeted(b"", true, None).await.unwrap_err();
        assert!(matches!(error, mysql_async::Error::Io(_)), "{error}");
    }

    #[tokio::test]
    async fn idle_tcp_connections_are_kept_alive() {
        let ServerStream::Tcp(stream) = greeted(b"hello", false, None).await.unwrap() else {
            panic!("it is TCP")
        };
        assert!(socket_keepalive(&stream).unwrap());
        assert_eq!(tcp_keepidle(&stream).unwrap(), KEEPALIVE_IDLE);
    }

    #[test]
    fn errors_that_are_cut_are_read_as_far_as_they_go() {
        assert_eq!(refusal(b"\xff\0\0\0\xff\x10\x04Too").unwrap().message, "Too");
        assert_eq!(refusal(b"\x01\0\0\0\xff\x10\x04Too").unwrap().message, "");
        for none in [
            &b""[..],
            b"\x03\0\0\0\xff\x10",
            b"\x4a\0\0\0\x0a9.7.4\0",
            b"\x09\0\0\0\xff\x10\x04#08",
        ] {
            assert_eq!(refusal(none), None, "{none:?}");
        }
    }
}
