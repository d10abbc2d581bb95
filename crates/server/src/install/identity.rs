//! File-system identity of the server's user, for work in directories that this user can change.

use std::io;
use std::thread;

use nix::unistd::{Gid, Uid, setfsgid, setfsuid};
use rustix::thread::set_thread_groups;

use crate::install::os_user::ServerUser;

/// No user id: as an argument it changes nothing (setfsuid(2)).
const NO_ID: u32 = u32::MAX;

impl ServerUser {
    /// Runs `work` with the rights of this user to files, and returns its result. A link that the user planted leads
    /// `work` only to files that the user can reach anyway.
    ///
    /// The work runs on a thread of its own, which ends with it: no other work ever has this identity.
    ///
    /// Tried: `chown` after each `mkdir`. A loop of renames by the server's user won that race within 40 starts.
    pub(crate) fn act<T: Send>(&self, work: impl FnOnce() -> T + Send) -> io::Result<T> {
        if !self.change {
            return Ok(work());
        }
        thread::scope(|scope| {
            let acting = thread::Builder::new().spawn_scoped(scope, || {
                self.take_identity()?;
                Ok(work())
            })?;
            acting
                .join()
                .unwrap_or_else(|_| Err(io::Error::other("the thread of the server's user failed")))
        })
    }

    /// Gives the calling thread the user's rights to files. The kernel takes those of root away with the user id
    /// (capabilities(7), "Effect of user ID changes on capabilities").
    fn take_identity(&self) -> io::Result<()> {
        set_thread_groups(&[])?;
        setfsgid(Gid::from_raw(self.gid));
        setfsuid(Uid::from_raw(self.uid));
        // Both calls return the former id, also when they fail.
        let (gid, uid) = (setfsgid(Gid::from_raw(NO_ID)), setfsuid(Uid::from_raw(NO_ID)));
        match (uid.as_raw(), gid.as_raw()) == (self.uid, self.gid) {
            true => Ok(()),
            false => Err(io::ErrorKind::PermissionDenied.into()),
        }
    }
}

#[cfg(test)]
mod needs_root {
    use std::fs::{self, Permissions};
    use std::os::unix::fs::{MetadataExt, PermissionsExt};

    use super::*;

    #[test]
    fn root_acts_with_the_rights_of_the_user_and_has_its_own_again() {
        let user = ServerUser {
            name: "stranger".into(),
            uid: 4_000_000,
            gid: 4_000_001,
            change: true,
        };
        let directory = tempfile::tempdir().unwrap();
        fs::set_permissions(directory.path(), Permissions::from_mode(0o777)).unwrap();
        let (secret, theirs) = (directory.path().join("secret"), directory.path().join("theirs"));
        fs::write(&secret, "").unwrap();
        // Root's group may read it, which a thread that kept root's groups could use.
        fs::set_permissions(&secret, Permissions::from_mode(0o640)).unwrap();
        let error = user.act(|| fs::read(&secret)).unwrap().unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::PermissionDenied);
        user.act(|| fs::write(&theirs, "")).unwrap().unwrap();
        let made = theirs.metadata().unwrap();
        assert_eq!((made.uid(), made.gid()), (user.uid, user.gid));
        fs::read(&secret).unwrap();
    }
}
