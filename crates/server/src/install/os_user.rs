//! Unprivileged user that private instances run as.

use std::fs::{self, Metadata};
use std::io;
use std::os::unix::fs::{MetadataExt, chown};
use std::path::{Path, PathBuf};

use thiserror::Error;

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

/// Error if no user can run a server.
#[derive(Debug, Error)]
pub enum UserError {
    /// The list of users cannot be read.
    #[error("cannot read /etc/passwd")]
    Read(#[source] io::Error),
    /// No candidate exists.
    #[error(
        "none of the users mysql, logtrace and nobody exists, and a server never runs as root: useradd --system logtrace"
    )]
    None,
}

impl ServerUser {
    /// Chooses `mysql`, else `logtrace`, else `nobody`. If logtrace does not run as root, chooses the user that it runs
    /// as.
    pub fn choose() -> Result<Self, UserError> {
        let passwd = fs::read_to_string("/etc/passwd").map_err(UserError::Read)?;
        let own = rustix::process::geteuid().as_raw();
        if own == 0 {
            return choose_from(&passwd).ok_or(UserError::None);
        }
        Ok(Self {
            name: name_of(&passwd, own).unwrap_or_else(|| own.to_string()),
            uid: own,
            gid: rustix::process::getegid().as_raw(),
            change: false,
        })
    }

    /// Makes the user the owner of a file or directory.
    pub fn own(&self, path: &Path) -> io::Result<()> {
        chown(path, Some(self.uid), Some(self.gid))
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

/// Lines of `/etc/passwd` are `name:password:uid:gid:...` (passwd(5)).
fn choose_from(passwd: &str) -> Option<ServerUser> {
    CANDIDATES.iter().find_map(|candidate| {
        passwd.lines().find_map(|line| {
            let mut fields = line.split(':');
            let name = fields.next()?;
            let uid = fields.nth(1)?.parse().ok()?;
            let gid = fields.next()?.parse().ok()?;
            (name == *candidate && uid != 0).then(|| ServerUser {
                name: name.to_owned(),
                uid,
                gid,
                change: true,
            })
        })
    })
}

fn name_of(passwd: &str, uid: u32) -> Option<String> {
    passwd.lines().find_map(|line| {
        let mut fields = line.split(':');
        let name = fields.next()?;
        (fields.nth(1)?.parse() == Ok(uid)).then(|| name.to_owned())
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
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    const PASSWD: &str = "root:x:0:0:root:/root:/bin/bash\n\
                          nobody:x:65534:65534::/:/bin/false\n\
                          broken line\n\
                          mysql:x:102:105:MariaDB:/nonexistent:/bin/false\n";

    #[test]
    fn the_best_user_that_exists_is_chosen() {
        let mysql = choose_from(PASSWD).unwrap();
        assert_eq!((mysql.name.as_str(), mysql.uid, mysql.gid), ("mysql", 102, 105));
        let without = PASSWD.replace("mysql", "mysqlx");
        assert_eq!(choose_from(&without).unwrap().name, "nobody");
        assert_eq!(choose_from("root:x:0:0::/:/bin/sh"), None);
        assert_eq!(choose_from("mysql:x:0:0::/:/bin/sh"), None);
        assert_eq!(name_of(PASSWD, 102).as_deref(), Some("mysql"));
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
