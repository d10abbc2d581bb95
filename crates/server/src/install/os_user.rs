//! Unprivileged user that private instances run as.
//!
//! A server under `mysql` could read and change the data of another server of that user, and trace and end its processes.

use std::fs::Metadata;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use anyhow::{Context, anyhow, bail};
use procfs::process::Process;
use uzers::User;

use crate::error::ServerError;
use crate::install::trusted_path::{Writers, trusted_directory};
use crate::process::clean_command::RunAs;

/// Users that a server may run as, in order of preference. The first is logtrace's own (scripts/setup); others are taken
/// only if nothing else is theirs.
const CANDIDATES: [&str; 3] = [OWN, "mysql", "nobody"];

/// User that only logtrace uses.
const OWN: &str = "logtrace";

/// Directory of the data of packaged servers.
const PACKAGED_DATA: &str = "/var/lib/mysql";

/// Advice if there is no user to run a server as.
const REMEDY: &str = "a private server could read, change and end what is theirs. Run useradd --system --shell \
                      /usr/sbin/nologin logtrace (scripts/setup does), or name a user with --user";

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
    /// Returns the user that a server changes to, or `None` if it is the user of logtrace.
    pub fn run_as(&self) -> Option<RunAs> {
        let Self { uid, gid, .. } = *self;
        self.change.then_some(RunAs { uid, gid })
    }

    /// Chooses the named user, else `logtrace`. Without that it chooses `mysql` or `nobody`, unless a process or data of a
    /// server belongs to it. If logtrace does not run as root, chooses the user that it runs as.
    pub fn choose(named: Option<&str>) -> anyhow::Result<Self> {
        let own = rustix::process::geteuid().as_raw();
        if own == 0 {
            return match named {
                Some(name) => by_name(name, uzers::get_user_by_name)
                    .with_context(|| format!("--user {name}: there is no such user, or it is root")),
                None => choose_from(uzers::get_user_by_name, used_by),
            };
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

/// Returns the first candidate that exists, is not root and has nothing else.
fn choose_from(
    find: impl Fn(&str) -> Option<User>,
    used_by: impl Fn(&ServerUser) -> Option<String>,
) -> anyhow::Result<ServerUser> {
    let mut refused = Vec::new();
    for name in CANDIDATES {
        let Some(user) = by_name(name, &find) else {
            refused.push(format!("{name} does not exist"));
            continue;
        };
        match used_by(&user).filter(|_| name != OWN) {
            None => return Ok(user),
            Some(use_) => refused.push(format!("{name} has {use_}")),
        }
    }
    bail!(
        "no user is free to run a server: {}. {REMEDY}",
        refused.join(", ")
    )
}

/// Returns the user of this name, unless it is root.
fn by_name(name: &str, find: impl Fn(&str) -> Option<User>) -> Option<ServerUser> {
    let user = find(name).filter(|user| user.uid() != 0)?;
    Some(ServerUser {
        name: user.name().to_string_lossy().into_owned(),
        uid: user.uid(),
        gid: user.primary_group_id(),
        change: true,
    })
}

/// Returns what belongs to a user: the data of a packaged server, or a process.
fn used_by(user: &ServerUser) -> Option<String> {
    let data = Path::new(PACKAGED_DATA);
    let is_theirs = data.metadata().is_ok_and(|metadata| metadata.uid() == user.uid);
    let is_filled = || data.read_dir().is_ok_and(|mut entries| entries.next().is_some());
    if is_theirs && is_filled() {
        return Some(format!("the data in {PACKAGED_DATA}"));
    }
    let runs_as = |process: &Process| {
        let status = process.status();
        status.is_ok_and(|status| [status.ruid, status.euid, status.suid].contains(&user.uid))
    };
    let mut processes = procfs::process::all_processes().ok()?.flatten();
    let process = processes.find(runs_as)?;
    Some(format!("the process {}", process.pid))
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

    /// Chooses among these users, of which some have something.
    fn choose(users: &[(&str, u32)], used: &[&str]) -> Result<ServerUser, String> {
        let find = |name: &str| {
            let &(name, uid) = users.iter().find(|(known, _)| *known == name)?;
            Some(User::new(uid, name, uid + 3))
        };
        let used_by = |user: &ServerUser| used.contains(&&*user.name).then(|| "the process 7".to_owned());
        choose_from(find, used_by).map_err(|error| error.to_string())
    }

    #[test]
    fn logtraces_own_user_comes_first() {
        let all = [("root", 0), ("nobody", 65534), ("mysql", 102), ("logtrace", 990)];
        let own = choose(&all, &["logtrace"]).unwrap();
        assert_eq!((own.name.as_str(), own.uid, own.gid), ("logtrace", 990, 993));
        assert_eq!(choose(&all[..3], &[]).unwrap().name, "mysql");
        let zero = choose(&[("mysql", 0), ("logtrace", 0)], &[]);
        assert!(zero.unwrap_err().contains("useradd --system"));
    }

    #[test]
    fn a_user_that_has_something_else_is_not_taken() {
        let all = [("nobody", 65534), ("mysql", 102)];
        assert_eq!(choose(&all, &["mysql"]).unwrap().name, "nobody");
        let error = choose(&all, &["mysql", "nobody"]).unwrap_err();
        for part in [
            "logtrace does not exist",
            "mysql has the process 7",
            "nobody has",
            "--user",
        ] {
            assert!(error.contains(part), "{part} in {error}");
        }
    }

    #[test]
    fn processes_of_a_user_are_seen() {
        let me = ServerUser::me();
        assert!(used_by(&me).is_some());
        let stranger = ServerUser { uid: 4_000_000, ..me };
        assert_eq!(used_by(&stranger), None);
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
