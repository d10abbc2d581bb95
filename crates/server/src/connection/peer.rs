//! Check of the process behind an address, before anything of a login is sent to it.

use std::path::Path;
use std::sync::Arc;

use anyhow::{Context, bail, ensure};

use crate::owned_path::objection;
use crate::path_rule::{PathPart, Trusted, own_users};
use logtrace_common::Endpoint;
use logtrace_common::process::ProcessHandle;

/// Users of packaged and of private servers.
const SERVER_USERS: [&str; 3] = ["mysql", "mariadb", "logtrace"];

/// Process that listens on an address.
#[derive(Clone, Debug)]
pub(crate) struct Peer {
    /// Process that is checked, and no later one.
    pub(crate) process: Arc<ProcessHandle>,
    /// User of the process.
    pub(crate) uid: u32,
}

impl Peer {
    /// Opens a process whose user is known.
    pub(crate) fn open(pid: u32, uid: u32) -> anyhow::Result<Self> {
        let process = Arc::new(ProcessHandle::open(pid)?);
        Ok(Self { process, uid })
    }

    /// Opens a process, and takes its effective user.
    pub(crate) fn of_process(pid: u32) -> anyhow::Result<Self> {
        let process = Arc::new(ProcessHandle::open(pid)?);
        let uid = process.entry().status()?.euid;
        Ok(Self { process, uid })
    }

    /// Fails unless the process is a server, by the name of its program, and its user is trusted: `server_uid`, or without
    /// one root, the user of this process or of sudo, a usual user of servers, or the only one who could make the socket.
    pub(crate) fn check(&self, endpoint: &Endpoint, server_uid: Option<u32>) -> anyhow::Result<()> {
        let pid = self.process.pid();
        let program = self.process.program_name();
        let program = program
            .with_context(|| format!("cannot see what listens on {endpoint} (run logtrace as root)"))?;
        ensure!(
            is_server(&program),
            "process {pid} behind {endpoint} is {}, neither mysqld nor mariadbd",
            program.display()
        );
        let reason = match (server_uid, endpoint) {
            (Some(uid), _) if uid == self.uid => return Ok(()),
            (Some(uid), _) => format!("the server's user is {}", user_name(uid)),
            _ if self.is_known() => return Ok(()),
            (None, Endpoint::Socket(path)) => match self.objection_to_socket(path)? {
                None => return Ok(()),
                Some(reason) => reason,
            },
            (None, Endpoint::Tcp(..)) => "any user can listen on a port".to_owned(),
        };
        let (program, user) = (program.display(), user_name(self.uid));
        bail!(
            "process {pid} behind {endpoint} is {program} of user {user}, who may be anybody: {reason}. Nothing was sent \
             to it. If it is the server, add server-user={user} to the address, after a ? or &"
        )
    }

    fn is_known(&self) -> bool {
        let users = SERVER_USERS.into_iter();
        let mut named = users.filter_map(|name| Some(uzers::get_user_by_name(name)?.uid()));
        own_users().contains(&self.uid) || named.any(|uid| uid == self.uid)
    }

    /// Returns why others than the user of the process could have made the socket, or `None` if they could not.
    fn objection_to_socket(&self, socket: &Path) -> anyhow::Result<Option<String>> {
        let failed = || format!("cannot look at {}", socket.display());
        let mut places = vec![socket.to_owned()];
        // Links of `/proc` lead into other name spaces: the path that they show is another one here.
        if !socket.starts_with("/proc") {
            places.push(socket.canonicalize().with_context(failed)?);
        }
        let trusted = Trusted::own().and_user(self.uid);
        for place in places {
            let directory = place.parent().unwrap_or(Path::new("/"));
            let found = PathPart::from(&directory.metadata().with_context(failed)?);
            if let Some(reason) = trusted.objection_to(found.not_sticky()) {
                return Ok(Some(format!("{} {reason}", directory.display())));
            }
            if let Some(reason) = objection(directory, &trusted).with_context(failed)? {
                return Ok(Some(reason));
            }
        }
        Ok(None)
    }
}

/// Returns the name of a user, or its number without one.
fn user_name(uid: u32) -> String {
    let user = uzers::get_user_by_uid(uid);
    user.map_or_else(
        || uid.to_string(),
        |user| user.name().to_string_lossy().into_owned(),
    )
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

    mod needs_root {
        use super::*;

        #[test]
        fn the_socket_of_a_user_is_trusted_where_nobody_else_could_make_it() {
            use std::fs::{self, Permissions};
            use std::os::unix::fs::{PermissionsExt, chown};
            const NOBODY: u32 = 65_534;
            let base = tempfile::tempdir().unwrap();
            let path = base.path().join("sock");
            fs::write(&path, "").unwrap();
            let peer = Peer::open(std::process::id(), NOBODY).unwrap();
            assert!(!peer.is_known());
            let mode = |mode| fs::set_permissions(base.path(), Permissions::from_mode(mode)).unwrap();
            let objection = || peer.objection_to_socket(&path).unwrap();
            mode(0o755);
            assert_eq!(objection(), None, "a directory of root");
            let link = tempfile::tempdir().unwrap();
            let link = link.path().join("sock");
            std::os::unix::fs::symlink(&path, &link).unwrap();
            assert_eq!(peer.objection_to_socket(&link).unwrap(), None);
            mode(0o1777);
            assert!(
                peer.objection_to_socket(&link).unwrap().is_some(),
                "the link leads there"
            );
            for open in [0o1777, 0o777] {
                mode(open);
                assert!(objection().unwrap().ends_with("can be written by everybody"));
            }
            mode(0o700);
            chown(base.path(), Some(NOBODY), None).unwrap();
            assert_eq!(objection(), None, "a directory of that user");
            chown(base.path(), Some(NOBODY - 1), None).unwrap();
            assert!(objection().unwrap().contains("belongs to user 65533"));
        }
    }
}
