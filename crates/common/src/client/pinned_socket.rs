//! Socket of a server, checked at each connection.

use std::io;
use std::os::fd::{AsRawFd, OwnedFd};
use std::path::Path;

use rustix::fs::{Mode, OFlags, fstat, open};
use tokio::net::UnixStream;

/// File of a socket that is held open, so that a connection by [`path`](Self::path) reaches what was checked, whatever is
/// at its path by then.
#[derive(Debug)]
pub(crate) struct PinnedSocket(OwnedFd);

impl PinnedSocket {
    /// Opens the file of a socket. Fails if a process of another user than `server_uid` listens on it. Only root and the
    /// owner of the file can have made it.
    pub(crate) async fn open(path: &Path, server_uid: u32) -> io::Result<Self> {
        let pinned = Self(open(path, OFlags::PATH | OFlags::CLOEXEC, Mode::empty())?);
        if [0, server_uid].contains(&fstat(&pinned.0)?.st_uid) {
            return Ok(pinned);
        }
        // A mount may show other owners: then the kernel names the listener.
        let uid = UnixStream::connect(pinned.path()).await?.peer_cred()?.uid();
        match uid == server_uid {
            true => Ok(pinned),
            false => Err(io::Error::new(
                io::ErrorKind::PermissionDenied,
                format!("a process of user {uid}, who is not the server's, listens there"),
            )),
        }
    }

    /// Returns a path of the socket, as long as this lives.
    pub(crate) fn path(&self) -> String {
        format!("/proc/self/fd/{}", self.0.as_raw_fd())
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::{MetadataExt, chown};

    use tokio::net::UnixListener;

    use super::*;

    /// User that is neither root nor the one of the tests.
    const STRANGER: u32 = 4_000_000;

    #[tokio::test]
    async fn a_socket_that_takes_the_place_of_the_checked_one_is_not_reached() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("sock");
        let server = UnixListener::bind(&path).unwrap();
        let me = fs::metadata(&path).unwrap().uid();
        let pinned = PinnedSocket::open(&path, me).await.unwrap();
        fs::remove_file(&path).unwrap();
        let impostor = UnixListener::bind(&path).unwrap();
        let _client = UnixStream::connect(pinned.path()).await.unwrap();
        let accepted = tokio::select! {
            _ = server.accept() => "server",
            _ = impostor.accept() => "impostor",
        };
        assert_eq!(accepted, "server");
    }

    #[tokio::test]
    async fn a_listener_of_another_user_is_refused() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("sock");
        let _server = UnixListener::bind(&path).unwrap();
        let me = fs::metadata(&path).unwrap().uid();
        if me != 0 {
            let error = PinnedSocket::open(&path, STRANGER).await.unwrap_err();
            assert!(error.to_string().contains(&format!("user {me}")), "{error}");
            return;
        }
        // Root may have made the socket for a server that it starts.
        PinnedSocket::open(&path, STRANGER).await.unwrap();
        chown(&path, Some(STRANGER - 1), None).unwrap();
        let error = PinnedSocket::open(&path, STRANGER).await.unwrap_err();
        assert!(error.to_string().contains("user 0"), "{error}");
        PinnedSocket::open(&path, 0).await.unwrap();
    }
}
