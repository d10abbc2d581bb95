//! Directories that are locked as long as their owner lives.

use std::fs::{File, Permissions, TryLockError};
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use tempfile::TempDir;

/// Name of the lock file.
const LOCK: &str = "lock";

/// Directory that is locked as long as this process lives, and removed when dropped.
#[derive(Debug)]
pub(crate) struct LockedDir {
    directory: TempDir,
    _lock: File,
}

impl LockedDir {
    /// Makes and locks a new directory under `base`. Its name starts with `prefix`; only its owner may enter it.
    pub(crate) fn create(base: &Path, prefix: &str) -> io::Result<Self> {
        let _guard = guard(base)?;
        let directory = tempfile::Builder::new()
            .prefix(prefix)
            .permissions(Permissions::from_mode(0o700))
            .tempdir_in(base)?;
        let lock = File::create(directory.path().join(LOCK))?;
        lock.lock()?;
        Ok(Self {
            directory,
            _lock: lock,
        })
    }

    pub(crate) fn path(&self) -> &Path {
        self.directory.path()
    }

    /// Removes the directory and returns an error if that fails.
    pub(crate) fn remove(self) -> io::Result<()> {
        self.directory.close()
    }
}

/// Locks `base` itself: nobody else makes or locks a directory in it until the returned file is dropped.
pub(crate) fn guard(base: &Path) -> io::Result<File> {
    let directory = File::open(base)?;
    directory.lock()?;
    Ok(directory)
}

/// Checks whether a living process holds the lock of `directory`.
pub(crate) fn is_in_use(directory: &Path) -> bool {
    let Ok(lock) = File::open(directory.join(LOCK)) else {
        return false;
    };
    matches!(lock.try_lock(), Err(TryLockError::WouldBlock))
}

/// Returns success also if what was to be removed did not exist.
pub(crate) fn unless_gone(removed: io::Result<()>) -> io::Result<()> {
    match removed {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}
