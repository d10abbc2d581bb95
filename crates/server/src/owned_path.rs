//! Paths that only some users can change.

use std::env;
use std::fs::Metadata;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{self, Path};

/// Returns root, the user of this process, and the user who called sudo.
pub(crate) fn own_users() -> Vec<u32> {
    let caller = env::var("SUDO_UID").ok().and_then(|uid| uid.parse().ok());
    let me = rustix::process::geteuid().as_raw();
    [Some(0), Some(me), caller].into_iter().flatten().collect()
}

/// Returns why other users than `trusted` could change what is at a path, or `None` if they cannot: each part of the path
/// must belong to one of the users, and nobody else may write it. The same holds for the path without symbolic links.
pub(crate) fn objection(path: &Path, trusted: &[u32]) -> io::Result<Option<String>> {
    let path = path::absolute(path)?;
    let found = objection_on(&path, trusted)?;
    // Links of `/proc` lead into other name spaces: the path that they show is another one here.
    if found.is_some() || path.starts_with("/proc") {
        return Ok(found);
    }
    objection_on(&path.canonicalize()?, trusted)
}

fn objection_on(path: &Path, trusted: &[u32]) -> io::Result<Option<String>> {
    for part in path.ancestors() {
        if let Some(reason) = objection_to(&part.symlink_metadata()?, trusted) {
            return Ok(Some(format!("{} {reason}", part.display())));
        }
    }
    Ok(None)
}

fn objection_to(part: &Metadata, trusted: &[u32]) -> Option<String> {
    let (uid, mode) = (part.uid(), part.mode());
    // In a directory with the sticky bit, others cannot replace what is not theirs.
    let is_sticky_directory = part.is_dir() && mode & 0o1000 != 0;
    if !trusted.contains(&uid) {
        Some(format!("belongs to user {uid}"))
    } else if part.is_symlink() {
        // Its mode has no meaning.
        None
    } else if mode & 0o002 != 0 && !is_sticky_directory {
        Some("can be written by everybody".to_owned())
    } else if mode & 0o020 != 0 && part.gid() != 0 && !is_sticky_directory {
        Some(format!("can be written by the group {}", part.gid()))
    } else {
        None
    }
}
