//! Socket that waits for input only, as long as output fits into its buffer.

use std::io;
use std::os::fd::OwnedFd;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use logtrace_common::{Endpoint, ServerStream};
use rustix::net::{RecvFlags, SendFlags, recv, send};
use tokio::io::unix::AsyncFd;
use tokio::io::{AsyncRead, AsyncWrite, Interest, ReadBuf};

use crate::util::register;

/// Connected socket.
///
/// tokio's own sockets also wait until they can be written. On a Unix-domain socket the kernel signals this whenever the
/// server has read a request (`unix_write_space()`), so each request would wake its sender twice: for that, and for the
/// answer.
pub(crate) struct Socket {
    readable: AsyncFd<OwnedFd>,
    /// Second descriptor, registered for writing as long as the socket's buffer is full.
    writable: Option<AsyncFd<OwnedFd>>,
}

impl Socket {
    /// Connects. Small packets are sent immediately. Fails if the process at the other end has another user than `server_uid`,
    /// see [`ServerStream::connect`].
    pub(crate) async fn connect(endpoint: &Endpoint, server_uid: Option<u32>) -> mysql_async::Result<Self> {
        let stream = ServerStream::connect(endpoint, server_uid).await?;
        Ok(Self::watch(stream.into_fd()?)?)
    }

    /// Watches a socket that is connected.
    pub(crate) fn watch(fd: OwnedFd) -> io::Result<Self> {
        Ok(Self {
            readable: register(fd, Interest::READABLE)?,
            writable: None,
        })
    }

    fn poll_full(&mut self, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let writable = match self.writable.take() {
            Some(writable) => writable,
            None => register(self.readable.get_ref().try_clone()?, Interest::WRITABLE)?,
        };
        let writable = self.writable.insert(writable);
        ready!(writable.poll_write_ready(context))?.clear_ready();
        Poll::Ready(Ok(()))
    }
}

impl AsyncRead for Socket {
    fn poll_read(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        loop {
            let mut ready = ready!(self.readable.poll_read_ready(context))?;
            let room = buffer.initialize_unfilled();
            match recv(self.readable.get_ref(), &mut *room, RecvFlags::DONTWAIT) {
                Ok((length, _)) => {
                    if length < room.len() {
                        // Everything was read. Another call would find nothing, and new input sets readiness again.
                        ready.clear_ready();
                    }
                    buffer.advance(length);
                    return Poll::Ready(Ok(()));
                }
                Err(rustix::io::Errno::AGAIN) => ready.clear_ready(),
                Err(rustix::io::Errno::INTR) => {}
                Err(error) => return Poll::Ready(Err(error.into())),
            }
        }
    }
}

impl AsyncWrite for Socket {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        loop {
            let flags = SendFlags::NOSIGNAL | SendFlags::DONTWAIT;
            match send(self.readable.get_ref(), bytes, flags) {
                Ok(length) => {
                    self.writable = None;
                    return Poll::Ready(Ok(length));
                }
                Err(rustix::io::Errno::AGAIN) => ready!(self.poll_full(context))?,
                Err(rustix::io::Errno::INTR) => {}
                Err(error) => return Poll::Ready(Err(error.into())),
            }
        }
    }

    /// Does nothing, because nothing is buffered.
    fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    /// Does nothing, because closing the socket is enough.
    fn poll_shutdown(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }
}

#[cfg(test)]
mod tests {
    use std::future::poll_fn;
    use std::io::{Read, Write};
    use std::os::unix::net::UnixListener;
    use std::thread;

    use super::*;
    use crate::util::runtime::on_this_thread;

    /// More than a socket takes at once.
    const MUCH: usize = 8 << 20;

    #[test]
    fn a_process_of_another_user_than_the_servers_gets_nothing() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("socket");
        let listener = UnixListener::bind(&path).unwrap();
        let me = rustix::process::geteuid().as_raw();
        let endpoint = Endpoint::Socket(path);
        let connect =
            |uid| on_this_thread(async { Socket::connect(&endpoint, Some(uid)).await.map(drop) }).unwrap();
        connect(me).unwrap();
        let error = connect(me + 1).unwrap_err();
        assert!(
            error.to_string().contains(&format!("user {me} answers")),
            "{error}"
        );
        for _ in 0..2 {
            let (mut stream, _) = listener.accept().unwrap();
            let mut got = Vec::new();
            stream.read_to_end(&mut got).unwrap();
            assert!(got.is_empty());
        }
    }

    #[test]
    fn more_than_the_socket_takes_arrives_whole_and_the_answer_as_well() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("socket");
        let listener = UnixListener::bind(&path).unwrap();
        let other = thread::spawn(move || {
            let (mut stream, _) = listener.accept().unwrap();
            let mut got = vec![0; MUCH];
            stream.read_exact(&mut got).unwrap();
            stream.write_all(&got).unwrap();
        });
        let sent: Vec<u8> = (0..MUCH).map(|at| (at % 251) as u8).collect();
        let got = on_this_thread(async {
            let mut socket = Socket::connect(&Endpoint::Socket(path), None).await.unwrap();
            let mut left = &sent[..];
            while !left.is_empty() {
                let write = poll_fn(|context| Pin::new(&mut socket).poll_write(context, left));
                left = &left[write.await.unwrap()..];
            }
            assert!(
                socket.writable.is_none(),
                "nothing is watched that is not waited for"
            );
            let (mut got, mut chunk) = (Vec::new(), vec![0; 1 << 16]);
            while got.len() < MUCH {
                let mut buffer = ReadBuf::new(&mut chunk);
                let read = poll_fn(|context| Pin::new(&mut socket).poll_read(context, &mut buffer));
                read.await.unwrap();
                assert!(!buffer.filled().is_empty());
                got.extend_from_slice(buffer.filled());
            }
            got
        });
        assert!(got.unwrap() == sent);
        other.join().unwrap();
    }
}
