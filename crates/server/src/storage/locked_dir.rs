//! Directories that are locked as long as their owner lives.

use std::fs::{self, File, OpenOptions};
use std::io;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use rustix::fs::RawMode;
use tempfile::TempDir;

use crate::error::unless_gone;
use crate::install::trusted_path::{Writers, trusted_directory};
use crate::storage::directory::Directory;
use crate::storage::file_lock::FileLock;

/// Suffix of the name of a lock. It is beside its directory, where only root can change it.
pub(crate) const LOCK: &str = ".lock";

/// Directory that is locked as long as this process lives, and removed when dropped.
#[derive(Debug)]
pub(crate) struct LockedDir {
    // Dropped in this order: the lock outlives what it stands for.
    directory: TempDir,
    _lock: Lock,
}

/// Locked file, which is removed when dropped.
#[derive(Debug)]
struct Lock {
    path: PathBuf,
    _file: File,
}

impl LockedDir {
    /// Makes and locks a new directory of `mode` under `base`. Its name starts with `prefix`.
    pub(crate) fn create(base: &Path, prefix: &str, mode: RawMode) -> io::Result<Self> {
        let _guard = guard(base)?;
        let directory = TempDir::with_prefix_in(prefix, base)?;
        let path = lock_of(directory.path());
        let mut options = OpenOptions::new();
        let file = options.write(true).create_new(true).mode(0o600).open(&path)?;
        file.lock()?;
        let lock = Lock { path, _file: file };
        Directory::open(directory.path())?.set_mode(mode)?;
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

impl Drop for Lock {
    fn drop(&mut self) {
        // A lock that stays is removed by the next start.
        let _ = fs::remove_file(&self.path);
    }
}

/// Locks `base` itself: nobody else makes or locks a directory in it until the returned file is dropped. Refuses a base
/// that others could have filled.
pub(crate) fn guard(base: &Path) -> io::Result<File> {
    let directory = File::open(trusted_directory(base, None, Writers::Ours)?)?;
    directory.lock()?;
    Ok(directory)
}

/// Checks whether a living process holds the lock of `directory`.
pub(crate) fn is_in_use(directory: &Path) -> bool {
    let lock = lock_of(directory);
    let opened = match (lock.parent(), lock.file_name()) {
        (Some(base), Some(name)) => Directory::open(base).and_then(|base| base.file(name)),
        _ => return false,
    };
    opened
        .and_then(FileLock::acquire)
        .is_ok_and(|lock| lock.is_none())
}

/// Removes the lock of a directory that is gone.
pub(crate) fn remove_lock(directory: &Path) -> io::Result<()> {
    unless_gone(fs::remove_file(lock_of(directory)))
}

fn lock_of(directory: &Path) -> PathBuf {
    let mut path = directory.as_os_str().to_owned();
    path.push(LOCK);
    path.into()
}
