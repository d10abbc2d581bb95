//! File of a recording, which leaves room on its file system: the server's own files may be there too.

use std::fs::File;
use std::io::{self, Seek, SeekFrom, Write};

use rustix::fs::fstatvfs;

/// Bytes that are left free at most. A server that loses its last gigabyte loses its work, and on a large disk a share would be
/// much more than what it needs until somebody comes.
const RESERVE: u64 = 1 << 30;

/// Share of the file system that is left free at most: a small one would have no room for a recording otherwise.
const SHARE: u64 = 20;

/// Bytes between two looks at the free space. Other programs write meanwhile, and a look takes a microsecond.
const A_LOOK: u64 = 1 << 20;

/// File that ends with an error before its file system is full.
#[derive(Debug)]
pub(crate) struct ReservedFile {
    file: File,
    until_look: u64,
}

impl ReservedFile {
    pub(crate) fn new(file: File) -> Self {
        Self { file, until_look: 0 }
    }

    /// Fails if the space that is left free would be used.
    fn look(&self) -> io::Result<()> {
        let found = fstatvfs(&self.file)?;
        let free = found.f_bavail.saturating_mul(found.f_frsize);
        let reserve = RESERVE.min(found.f_blocks.saturating_mul(found.f_frsize) / SHARE);
        match free < reserve.saturating_add(A_LOOK) {
            true => Err(io::Error::new(
                io::ErrorKind::StorageFull,
                format!(
                    "its file system has {} MiB free, and {} MiB are left to other programs",
                    free >> 20,
                    reserve >> 20
                ),
            )),
            false => Ok(()),
        }
    }
}

impl Write for ReservedFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.until_look == 0 {
            self.look()?;
            self.until_look = A_LOOK;
        }
        let most = usize::try_from(self.until_look)
            .unwrap_or(usize::MAX)
            .min(bytes.len());
        let written = self.file.write(&bytes[..most])?;
        self.until_look -= written as u64;
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

impl Seek for ReservedFile {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.file.seek(to)
    }
}

#[cfg(test)]
mod needs_root {
    use std::path::PathBuf;
    use std::process::Command;

    use super::*;

    /// Small file system, unmounted when dropped.
    struct Mounted(PathBuf);

    impl Drop for Mounted {
        fn drop(&mut self) {
            let _ = Command::new("umount").arg(&self.0).status();
        }
    }

    #[test]
    fn a_twentieth_of_a_small_file_system_stays_free() {
        let place = tempfile::tempdir().unwrap();
        let mut mount = Command::new("mount");
        mount
            .args(["-t", "tmpfs", "-o", "size=40m", "tmpfs"])
            .arg(place.path());
        assert!(mount.status().unwrap().success());
        let mounted = Mounted(place.path().to_owned());
        let mut file = ReservedFile::new(File::create(mounted.0.join("records.bin")).unwrap());
        let mut written = 0;
        let error = loop {
            match file.write_all(&[1; 10_000]) {
                Ok(()) => written += 10_000,
                Err(error) => break error,
            }
        };
        assert_eq!(error.kind(), io::ErrorKind::StorageFull);
        assert!(
            error.to_string().contains("2 MiB are left to other programs"),
            "{error}"
        );
        let found = rustix::fs::statvfs(&mounted.0).unwrap();
        assert!(found.f_bavail * found.f_frsize >= 2 << 20);
        assert!(written > 30 << 20, "{written}");
        // The window of the run is written at the beginning of what is there.
        file.seek(SeekFrom::Start(0)).unwrap();
        drop(file);
    }
}
