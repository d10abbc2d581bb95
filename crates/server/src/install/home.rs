//! Directories of private servers.

use std::path::{Path, PathBuf};

/// Directories and user of private servers. [`Default`] has the usual ones.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Home {
    /// Directory of instances. Each has a directory of its own in it.
    pub instances: PathBuf,
    /// Directory of initialised data directories, which are copied.
    pub templates: PathBuf,
    /// User that private servers run as, or `None` for the usual one.
    pub user: Option<String>,
    /// Directory of notes on what runs change on running servers. Only its owner may enter it.
    pub notes: PathBuf,
}

impl Home {
    /// Returns all directories under `directory`.
    pub fn at(directory: &Path) -> Self {
        Self {
            instances: directory.join("instances"),
            templates: directory.join("templates"),
            user: None,
            notes: directory.join("notes"),
        }
    }
}

impl Default for Home {
    fn default() -> Self {
        Self {
            instances: PathBuf::from("/var/lib/logtrace/instances"),
            templates: PathBuf::from("/var/cache/logtrace/templates"),
            user: None,
            notes: match rustix::process::geteuid().is_root() {
                true => PathBuf::from("/var/lib/logtrace/notes"),
                false => user_state().join("logtrace/notes"),
            },
        }
    }
}

/// Returns the directory in which a user's programs keep their state (XDG Base Directory Specification).
fn user_state() -> PathBuf {
    let absolute = |name: &str| {
        let path = std::env::var_os(name).map(PathBuf::from)?;
        path.is_absolute().then_some(path)
    };
    absolute("XDG_STATE_HOME")
        .or_else(|| Some(absolute("HOME")?.join(".local/state")))
        .unwrap_or_else(|| PathBuf::from("/var/lib"))
}
