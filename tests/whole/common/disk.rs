//! Disks of a test's own, and filling them.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::Command;

use rustix::fs::{FallocateFlags, fallocate, statvfs};

use super::patiently;

/// A file system of its own, unmounted at the end.
pub(crate) struct Disk(PathBuf);

impl Disk {
    /// In memory, too small for a server.
    pub(crate) fn tmpfs(path: &Path) -> Self {
        Self::mount(path, &["-t", "tmpfs", "-o", "size=40m,mode=755", "tmpfs"])
    }

    /// As large as a run asks for, in a sparse file.
    pub(crate) fn ext4(path: &Path) -> Self {
        let image = path.with_extension("image");
        File::create(&image).unwrap().set_len(1500 << 20).unwrap();
        let made = Command::new("mkfs.ext4").arg("-q").arg(&image).status().unwrap();
        assert!(made.success(), "cannot make an ext4 in {}", image.display());
        Self::mount(path, &["-o", "loop", &image.to_string_lossy()])
    }

    /// Gives back what was taken.
    pub(crate) fn empty(&self) {
        fs::remove_file(self.balloon()).unwrap();
    }

    pub(crate) fn path(&self) -> &Path {
        &self.0
    }

    fn balloon(&self) -> PathBuf {
        self.0.join("balloon")
    }

    fn mount(path: &Path, what: &[&str]) -> Self {
        fs::create_dir(path).unwrap();
        let mounted = Command::new("mount").args(what).arg(path).status().unwrap();
        assert!(mounted.success(), "cannot mount on {}", path.display());
        Self(path.to_owned())
    }

    /// Takes all the space that there is, what is reserved for root included.
    pub(crate) fn fill(&self) {
        let balloon = File::create(self.balloon()).unwrap();
        let mut at = 0;
        for step in [64 << 20, 1 << 20, 4096] {
            while fallocate(&balloon, FallocateFlags::empty(), at, step).is_ok() {
                at += step;
            }
        }
        let free = statvfs(&self.0).unwrap();
        assert!(
            free.f_bavail * free.f_bsize < 1 << 20,
            "the server may write meanwhile"
        );
    }
}

impl Drop for Disk {
    fn drop(&mut self) {
        // A server that was killed may take a while.
        patiently("a disk that is not in use", || {
            let unmounted = Command::new("umount").arg("--quiet").arg(&self.0).status();
            unmounted.is_ok_and(|status| status.success())
        });
    }
}
