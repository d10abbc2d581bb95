//! The one rule that says who can change a part of a path, for directories, programs and sockets alike.
//!
//! On many systems the directories of a user belong to a group of the user's own, and the usual umask lets it write. So
//! the caller's primary group is trusted if it has the caller's name and no other member, and so is root's. A group's
//! number says nothing: 100 is a user on one system and the group of all users on the next one. Access control lists are
//! not read: what they allow at most is in the bits of the group (acl(5)).

use std::env;
use std::fs::Metadata;
use std::os::unix::fs::MetadataExt;

use rustix::fs::{FileType, Stat};
use uzers::os::unix::GroupExt;

/// Permission to write for all users, and for the group.
const OTHERS_WRITE: u32 = 0o002;
const GROUP_WRITES: u32 = 0o020;

/// Bit of a directory in which only its owner, and the owner of an entry, can replace the entry (inode(7)).
const STICKY: u32 = 0o1000;

/// Users and groups that may change what is at a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Trusted {
    pub(crate) users: Vec<u32>,
    pub(crate) groups: Vec<u32>,
}

/// Owner and mode of a part of a path, as `stat` has them. A link is not followed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct PathPart {
    pub(crate) uid: u32,
    pub(crate) gid: u32,
    /// Type and permissions (`st_mode`).
    pub(crate) mode: u32,
}

/// Returns root, the user of this process, and the user who called sudo.
pub(crate) fn own_users() -> Vec<u32> {
    let caller = env::var("SUDO_UID").ok().and_then(|uid| uid.parse().ok());
    let me = rustix::process::geteuid().as_raw();
    [Some(0), Some(me), caller].into_iter().flatten().collect()
}

impl Trusted {
    /// Trusts root, the user of this process and the user who called sudo, with the groups that they alone are in.
    pub(crate) fn own() -> Self {
        let users = own_users();
        let private = users.iter().filter_map(|&uid| private_group(uid));
        let groups = [0].into_iter().chain(private).collect();
        Self { users, groups }
    }

    /// Trusts another user as well.
    pub(crate) fn and_user(mut self, uid: u32) -> Self {
        self.users.push(uid);
        self
    }

    /// Returns why others could change what is at a part of a path, or `None` if they could not.
    ///
    /// Its owner must be trusted. Nobody else may write it, unless it is a sticky directory: there others can replace only
    /// what is theirs, and the next part must be of a trusted owner, too. A group counts unless it is trusted. Of a link only
    /// the owner counts. systemd has this rule (`CHASE_SAFE`, src/basic/chase.c), but trusts no group.
    pub(crate) fn objection_to(&self, part: PathPart) -> Option<String> {
        let PathPart { uid, gid, mode } = part;
        let kind = FileType::from_raw_mode(mode);
        let is_closed = kind == FileType::Symlink || (kind == FileType::Directory && mode & STICKY != 0);
        if !self.users.contains(&uid) {
            Some(format!("belongs to user {uid}"))
        } else if is_closed {
            None
        } else if mode & OTHERS_WRITE != 0 {
            Some("can be written by everybody".to_owned())
        } else if mode & GROUP_WRITES != 0 && !self.groups.contains(&gid) {
            Some(format!("can be written by group {gid}"))
        } else {
            None
        }
    }
}

impl PathPart {
    /// Returns the same part without the sticky bit, for a directory in which nobody else may make entries.
    pub(crate) fn not_sticky(self) -> Self {
        let mode = self.mode & !STICKY;
        Self { mode, ..self }
    }
}

impl From<&Metadata> for PathPart {
    fn from(found: &Metadata) -> Self {
        Self {
            uid: found.uid(),
            gid: found.gid(),
            mode: found.mode(),
        }
    }
}

impl From<&Stat> for PathPart {
    fn from(found: &Stat) -> Self {
        Self {
            uid: found.st_uid,
            gid: found.st_gid,
            mode: found.st_mode,
        }
    }
}

/// Returns the group of a user if it has the user's name and no other member (`useradd --user-group`).
fn private_group(uid: u32) -> Option<u32> {
    let user = uzers::get_user_by_uid(uid)?;
    let group = uzers::get_group_by_gid(user.primary_group_id())?;
    let is_own = group.name() == user.name() && group.members().iter().all(|member| member == user.name());
    is_own.then(|| group.gid())
}

#[cfg(test)]
mod tests {
    use super::*;

    const DIRECTORY: u32 = 0o040_000;
    const FILE: u32 = 0o100_000;
    const LINK: u32 = 0o120_000;
    const SOCKET: u32 = 0o140_000;

    /// The caller has user and group 1000, a stranger 2000.
    #[test]
    fn each_owner_group_and_mode_has_its_answer() {
        let trusted = Trusted {
            users: vec![0, 1000],
            groups: vec![0, 1000],
        };
        let owned = Some("belongs to user 2000");
        let everybody = Some("can be written by everybody");
        let group = Some("can be written by group 2000");
        let table = [
            // owner, group, mode, answer
            (0, 0, DIRECTORY | 0o755, None),
            (1000, 1000, DIRECTORY | 0o755, None),
            (2000, 0, DIRECTORY | 0o755, owned),
            (2000, 0, DIRECTORY | 0o1777, owned),
            (0, 0, DIRECTORY | 0o777, everybody),
            (0, 0, DIRECTORY | 0o702, everybody),
            (0, 0, DIRECTORY | 0o1777, None),
            (1000, 2000, DIRECTORY | 0o1777, None),
            (0, 0, DIRECTORY | 0o775, None),
            (1000, 1000, DIRECTORY | 0o775, None),
            (0, 1000, DIRECTORY | 0o775, None),
            (0, 2000, DIRECTORY | 0o775, group),
            (1000, 2000, DIRECTORY | 0o775, group),
            (1000, 2000, DIRECTORY | 0o755, None),
            (0, 2000, DIRECTORY | 0o1775, None),
            (0, 0, FILE | 0o644, None),
            (2000, 2000, FILE | 0o444, owned),
            (0, 0, FILE | 0o646, everybody),
            (0, 0, FILE | 0o1646, everybody),
            (0, 2000, FILE | 0o664, group),
            (1000, 1000, FILE | 0o664, None),
            (0, 0, LINK | 0o777, None),
            (1000, 2000, LINK | 0o777, None),
            (2000, 0, LINK | 0o777, owned),
            (0, 0, SOCKET | 0o777, everybody),
            (2000, 0, SOCKET | 0o700, owned),
        ];
        for (uid, gid, mode, answer) in table {
            let found = trusted.objection_to(PathPart { uid, gid, mode });
            assert_eq!(found.as_deref(), answer, "{uid} {gid} {mode:o}");
        }
    }

    #[test]
    fn in_a_directory_where_only_we_make_entries_the_sticky_bit_does_not_count() {
        let open = PathPart {
            uid: 0,
            gid: 0,
            mode: DIRECTORY | 0o1777,
        };
        assert_eq!(Trusted::own().objection_to(open), None);
        let refused = Trusted::own().objection_to(open.not_sticky());
        assert_eq!(refused.as_deref(), Some("can be written by everybody"));
    }

    #[test]
    fn a_user_who_is_added_is_trusted_without_the_group() {
        let part = |gid, mode| PathPart {
            uid: 4_000_000,
            gid,
            mode: DIRECTORY | mode,
        };
        let trusted = Trusted::own().and_user(4_000_000);
        assert_eq!(trusted.objection_to(part(4_000_000, 0o755)), None);
        assert!(trusted.objection_to(part(4_000_000, 0o775)).is_some());
        assert!(Trusted::own().objection_to(part(0, 0o755)).is_some());
    }
}
