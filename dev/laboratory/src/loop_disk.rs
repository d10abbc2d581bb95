//! Block device with an ext4, whose flushes and writes take a known time longer.

use std::fs::{self, File, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;

use anyhow::Context;
use tempfile::TempDir;

use crate::slow_disk::SlowDisk;

/// Size of the device; its file is sparse.
const BYTES: u64 = 2 << 30;

/// Mounted ext4 on a loop device. The device's file is on a [`SlowDisk`]: its fsync is a flush of the device, its write a
/// write of the device (drivers/block/loop.c, `lo_req_flush()`, `lo_rw_aio()`).
pub struct LoopDisk {
    mount_point: TempDir,
    /// File system of the device's file.
    pub slow: SlowDisk,
}

impl LoopDisk {
    /// Makes an ext4 and mounts it, in the mount namespace of this thread. There are no delays at first.
    pub fn mount() -> anyhow::Result<Self> {
        Self::mount_with("has_journal")
    }

    /// Does the same for an ext4 without a journal.
    pub fn mount_without_journal() -> anyhow::Result<Self> {
        Self::mount_with("^has_journal")
    }

    fn mount_with(feature: &str) -> anyhow::Result<Self> {
        let slow = SlowDisk::mount();
        let image = slow.path().join("image");
        File::create(&image)?.set_len(BYTES)?;
        run(
            "mkfs.ext4",
            &["-q".as_ref(), "-O".as_ref(), feature.as_ref(), &image],
        )?;
        let mount_point = tempfile::Builder::new().prefix("lt-loop-").tempdir_in("/tmp")?;
        run(
            "mount",
            &["-o".as_ref(), "loop".as_ref(), &image, mount_point.path()],
        )?;
        fs::set_permissions(mount_point.path(), Permissions::from_mode(0o755))?;
        Ok(Self { mount_point, slow })
    }

    /// Returns the directory at which it is mounted.
    pub fn path(&self) -> &Path {
        self.mount_point.path()
    }
}

impl Drop for LoopDisk {
    fn drop(&mut self) {
        // In a mount namespace of its own it goes with the process otherwise.
        let _ = run("umount", &[self.path()]);
    }
}

/// Runs a program.
///
/// # Errors
///
/// Returns an error with what it printed, if it fails.
pub(crate) fn run(program: &str, arguments: &[&Path]) -> anyhow::Result<()> {
    let output = Command::new(program)
        .args(arguments)
        .output()
        .context(program.to_owned())?;
    let printed = String::from_utf8_lossy(&output.stderr);
    anyhow::ensure!(
        output.status.success(),
        "{program} {arguments:?}: {}",
        printed.trim()
    );
    Ok(())
}
