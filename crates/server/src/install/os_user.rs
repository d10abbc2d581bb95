//! Unprivileged user that private instances run as.

use std::fs::Metadata;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use anyhow::{Context, anyhow};
use uzers::User;

use crate::error::ServerError;
use crate::install::trusted_path::{Writers, trusted_directory};

/// Users that a server may run as, in order of preference.
const CANDIDATES: [&str; 3] = ["mysql", "logtrace", "nobody"];

/// System user of private instances.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ServerUser {
    /// Name of the user.
    pub name: String,
    /// User id; never 0.
    pub uid: u32,
    /// Group id.
    pub gid: u32,
    /// Whether a server process has to change to this user, because logtrace runs as root.
    pub(crate) change: bool,
}

impl ServerUser {
    /// Chooses `mysql`, else `logtrace`, else `nobody`. If logtrace does not run as root, chooses the user that it runs
    /// as.
    pub fn choose() -> anyhow::Result<Self> {
        let own = rustix::process::geteuid().as_raw();
        if own == 0 {
            return choose_from(uzers::get_user_by_name).context(
                "none of the users mysql, logtrace and nobody exists, and a server never runs as root: useradd \
                 --system logtrace",
            );
        }
        let name = uzers::get_user_by_uid(own).map(|user| user.name().to_string_lossy().into_owned());
        Ok(Self {
            name: name.unwrap_or_else(|| own.to_string()),
            uid: own,
            gid: rustix::process::getegid().as_raw(),
            change: false,
        })
    }

    /// Makes a directory, unless it exists, and checks that the user may enter it and that nobody else could have made it.
    /// Returns its path without symbolic links.
    pub(crate) fn create_directory(&self, path: &Path) -> Result<PathBuf, ServerError> {
        let fail = |what| ServerError::directory(what, path);
        let path = trusted_directory(path, Some(0o755), Writers::Ours).map_err(fail("use"))?;
        match self.first_closed(&path).map_err(fail("inspect"))? {
            None => Ok(path),
            Some(closed) => Err(anyhow!(
                "the server runs as user {}, who may not enter {closed}: chmod o+x {closed}, or choose another directory \
                 with --home",
                self.name,
                closed = closed.display()
            )
            .into()),
        }
    }

    /// Returns the first directory on the path, `path` included, that the user may not enter, or `None` if it may enter
    /// all of them. Looks at permission bits only, not at access control lists.
    pub(crate) fn first_closed(&self, path: &Path) -> io::Result<Option<PathBuf>> {
        let path = path.canonicalize()?;
        let mut from_root: Vec<&Path> = path.ancestors().collect();
        from_root.reverse();
        for directory in from_root {
            if !self.may_pass(&directory.metadata()?) {
                return Ok(Some(directory.to_owned()));
            }
        }
        Ok(None)
    }

    fn may_pass(&self, directory: &Metadata) -> bool {
        let execute = if directory.uid() == self.uid {
            0o100
        } else if directory.gid() == self.gid {
            0o010
        } else {
            0o001
        };
        directory.mode() & execute != 0
    }
}

/// Returns the first candidate that exists and is not root.
fn choose_from(find: impl Fn(&str) -> Option<User>) -> Option<ServerUser> {
    let user = CANDIDATES
        .iter()
        .find_map(|name| find(name).filter(|user| user.uid() != 0))?;
    Some(ServerUser {
        name: user.name().to_string_lossy().into_owned(),
        uid: user.uid(),
        gid: user.primary_group_id(),
        change: true,
    })
}

#[cfg(test)]
impl ServerUser {
    /// Returns the user that runs the tests.
    pub(crate) fn me() -> Self {
        Self {
            name: "me".into(),
            uid: rustix::process::geteuid().as_raw(),
            gid: rustix::process::getegid().as_raw(),
            change: false,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    #[test]
    fn the_first_candidate_that_exists_is_chosen() {
        let choose = |users: &[(&str, u32)]| {
            choose_from(|name| {
                let &(name, uid) = users.iter().find(|(known, _)| *known == name)?;
                Some(User::new(uid, name, uid + 3))
            })
        };
        let mysql = choose(&[("root", 0), ("nobody", 65534), ("mysql", 102)]).unwrap();
        assert_eq!((mysql.name.as_str(), mysql.uid, mysql.gid), ("mysql", 102, 105));
        assert_eq!(
            choose(&[("mysqlx", 102), ("nobody", 65534)]).unwrap().name,
            "nobody"
        );
        assert_eq!(choose(&[("root", 0)]), None);
        assert_eq!(choose(&[("mysql", 0)]), None);
    }

    #[test]
    fn a_closed_parent_is_named() {
        let outer = tempfile::tempdir().unwrap();
        let inner = outer.path().join("inner");
        fs::create_dir(&inner).unwrap();
        let stranger = ServerUser {
            name: "stranger".into(),
            uid: 4_000_000,
            gid: 4_000_000,
            change: true,
        };
        fs::set_permissions(outer.path(), fs::Permissions::from_mode(0o750)).unwrap();
        assert_eq!(
            stranger.first_closed(&inner).unwrap().as_deref(),
            Some(outer.path())
        );
        fs::set_permissions(outer.path(), fs::Permissions::from_mode(0o711)).unwrap();
        assert_eq!(stranger.first_closed(&inner).unwrap(), None);
    }
}
