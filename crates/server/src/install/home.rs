//! Where private servers are on disk.

use std::path::{Path, PathBuf};

/// The directories that private servers need. The usual ones are those of [`Default`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Home {
    /// Holds instances, each in a directory of its own.
    pub instances: PathBuf,
    /// Holds initialised data directories to copy.
    pub templates: PathBuf,
}

impl Home {
    /// Both under one directory of the caller's choice.
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
