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
}

impl Home {
    /// Returns both directories under `directory`.
    pub fn at(directory: &Path) -> Self {
        Self {
            instances: directory.join("instances"),
            templates: directory.join("templates"),
            user: None,
        }
    }
}

impl Default for Home {
    fn default() -> Self {
        Self {
            instances: PathBuf::from("/var/lib/logtrace/instances"),
            templates: PathBuf::from("/var/cache/logtrace/templates"),
            user: None,
        }
    }
}
