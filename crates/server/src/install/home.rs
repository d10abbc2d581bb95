//! Directories of private servers.

use std::path::{Path, PathBuf};

/// Directories that private servers need. [`Default`] has the usual ones.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Home {
    /// Directory of instances. Each has a directory of its own in it.
    pub instances: PathBuf,
    /// Directory of initialised data directories, which are copied.
    pub templates: PathBuf,
}

impl Home {
    /// Returns both directories under `directory`.
    pub fn at(directory: &Path) -> Self {
        Self {
            instances: directory.join("instances"),
            templates: directory.join("templates"),
        }
    }
}

impl Default for Home {
    fn default() -> Self {
        Self {
            instances: PathBuf::from("/var/lib/logtrace/instances"),
            templates: PathBuf::from("/var/cache/logtrace/templates"),
        }
    }
}
