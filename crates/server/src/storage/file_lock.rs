//! Locks of files.

use std::fs::{File, TryLockError};
use std::io;

/// Exclusive lock of a file (`flock`), released when this is dropped or the process ends.
///
/// Closing the file would not release it at once: programs that another thread starts hold copies of every descriptor
/// between fork and exec.
#[derive(Debug)]
pub struct FileLock(File);

impl FileLock {
    /// Locks an open file. Returns `None` if the lock is held.
    pub fn acquire(file: File) -> io::Result<Option<Self>> {
        match file.try_lock() {
            Ok(()) => Ok(Some(Self(file))),
            Err(TryLockError::WouldBlock) => Ok(None),
            Err(TryLockError::Error(error)) => Err(error),
        }
    }

    pub(crate) fn file(&self) -> &File {
        &self.0
    }
}

impl Drop for FileLock {
    fn drop(&mut self) {
        let _ = self.0.unlock();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lock_ends_with_its_owner_although_copies_of_the_descriptor_live() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let lock = || FileLock::acquire(file.reopen().unwrap()).unwrap();
        let held = lock().unwrap();
        let _copy = held.file().try_clone().unwrap();
        assert!(lock().is_none());
        drop(held);
        assert!(lock().is_some());
    }
}
