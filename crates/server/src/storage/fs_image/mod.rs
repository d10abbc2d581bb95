//! File system of a private server, in an image file.

pub(crate) mod fs_kind;
pub(crate) mod loop_device;
pub(crate) mod size;

use std::ffi::OsString;
use std::fs::{self, OpenOptions, Permissions};
use std::io;
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt, fchown};
use std::path::Path;

use anyhow::Context;

use crate::error::ServerError;
use crate::facts::file_system::FileSystemFacts;
use crate::install::os_user::ServerUser;
use crate::process::error_log::{ServerLog, first_lines};
use crate::process::pidfd::ProcessEnd;
use crate::process::{Launch, ServerProcess};
use crate::storage::fs_image::fs_kind::ImageKind;
use crate::storage::fs_image::loop_device::LoopDevice;
use crate::storage::fs_image::size::ImageSize;
use crate::storage::mount::{Mounted, mount};

/// Mount options that name other devices, also by number (ext4(5), xfs(5), btrfs(5)).
const ELSEWHERE: [&str; 5] = ["device", "journal_dev", "journal_path", "logdev", "rtdev"];

/// User id and group id of root.
const ROOT: u32 = 0;

/// File system to make for a server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ImageConfig {
    /// Kind of the file system.
    pub kind: ImageKind,
    /// Size. The image file is sparse: it takes only the space that is written.
    pub size: ImageSize,
    /// Arguments of mkfs, such as `-O` and `^has_journal`, one word each.
    pub make_options: Vec<String>,
    /// Options of mount(8), such as `data=writeback`, one each.
    pub mount_options: Vec<String>,
}

/// Checks that all these images can be made in `directory`, before any is made.
pub(crate) fn check_images(images: &[&ImageConfig], directory: &Path) -> Result<(), ServerError> {
    for image in images {
        image.kind.tool().map_err(anyhow::Error::from)?;
        image.check_options()?;
    }
    let size = ImageSize::sum(images.iter().map(|image| image.size));
    let free = FileSystemFacts::of(directory)?.free_bytes;
    if images.is_empty() || free >= size.bytes() {
        return Ok(());
    }
    Err(ServerError::NoRoom(format!(
        "an image of {size} may grow to its full size, and {} has only {} MiB free: free some, or choose a smaller \
         --fs-size or another directory with --home",
        directory.display(),
        free >> 20
    )))
}

impl ImageConfig {
    /// Returns a configuration with the defaults of the kind.
    pub fn new(kind: ImageKind, size: ImageSize) -> Self {
        Self {
            kind,
            size,
            make_options: Vec::new(),
            mount_options: Vec::new(),
        }
    }

    /// Refuses options that name a file or a device outside of the image.
    fn check_options(&self) -> Result<(), ServerError> {
        let leads_out = |word: &&String| {
            let name = word.split_once('=').map_or(word.as_str(), |(name, _)| name);
            word.contains('/') || ELSEWHERE.contains(&name)
        };
        let refused = |word: &str| {
            format!(
                "the option {word:?} leads out of the image of the {}: leave it out",
                self.kind
            )
        };
        if let Some(word) = self.make_options.iter().find(leads_out) {
            return Err(ServerError::Make(refused(word)));
        }
        match self.mount_options.iter().find(leads_out) {
            None => Ok(()),
            Some(word) => Err(ServerError::Mount {
                message: refused(word),
                source: io::ErrorKind::InvalidInput.into(),
            }),
        }
    }

    /// Makes the file system in a file of `directory` and mounts it on `mount_point`, which it makes. All of them belong
    /// to root; the file belongs to `user` while mkfs runs. The file's name is removed, so its space is freed when it is
    /// unmounted.
    ///
    /// If logtrace is killed, the mount ends with its namespace, the loop device with the mount, and the file with the
    /// device.
    pub(crate) async fn mount(
        &self,
        directory: &Path,
        mount_point: &Path,
        user: &ServerUser,
        log: &ServerLog,
    ) -> Result<Mounted, ServerError> {
        let path = directory.join("image");
        let file = OpenOptions::new()
            .read(true)
            .write(true)
            .create_new(true)
            .mode(0o600)
            .open(&path)
            .with_context(|| self.failed("create"))?;
        file.set_len(self.size.bytes())
            .with_context(|| self.failed("create"))?;
        fchown(&file, Some(user.uid), Some(user.gid)).with_context(|| self.failed("create"))?;
        self.make(&path, directory, user, log).await?;
        // What the kernel mounts, nobody but root can write: others of this user neither open the file nor replace it.
        fchown(&file, Some(ROOT), Some(ROOT)).with_context(|| self.failed("take back"))?;
        let device = LoopDevice::attach(&file).with_context(|| self.failed("attach a loop device to"))?;
        fs::remove_file(&path).with_context(|| self.failed("hide"))?;
        fs::create_dir(mount_point).with_context(|| self.failed("mount"))?;
        let mounted = mount(
            self.kind.as_str(),
            Some(device.path()),
            mount_point,
            &self.mount_options,
        )?;
        fs::set_permissions(mount_point, Permissions::from_mode(0o711))
            .with_context(|| self.failed("open"))?;
        Ok(mounted)
    }

    /// Runs mkfs as the server's user, the owner of the file, which needs no more rights.
    ///
    /// It writes to the file, not to the device: mkfs.ext4 knows that a sparse file reads as zeros, and so leaves no
    /// inode tables for the kernel to zero in the background during a measurement.
    async fn make(
        &self,
        path: &Path,
        directory: &Path,
        user: &ServerUser,
        log: &ServerLog,
    ) -> Result<(), ServerError> {
        let tool = self.kind.tool().map_err(anyhow::Error::from)?;
        let mut arguments = vec!["-q".into()];
        arguments.extend(self.make_options.iter().map(OsString::from));
        arguments.push(path.into());
        let process = ServerProcess::spawn(&Launch {
            program: &tool,
            arguments: &arguments,
            run_as: user.run_as(),
            directory,
            group: None,
            cpus: None,
            log,
        })
        .with_context(|| self.failed("make"))?;
        match process.watch.ended().await {
            ProcessEnd::Code(0) => Ok(()),
            exit => Err(ServerError::Make(format!(
                "{} ended with {exit}:\n  {}",
                tool.display(),
                first_lines(&log.text()).join("\n  ")
            ))),
        }
    }

    fn failed(&self, what: &str) -> String {
        format!("cannot {what} the {} of the server", self.kind)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_that_lead_out_of_the_image_are_refused() {
        let image = |make: &[&str], mount: &[&str]| {
            let words = |words: &[&str]| words.iter().map(|&word| word.to_owned()).collect();
            ImageConfig {
                make_options: words(make),
                mount_options: words(mount),
                ..ImageConfig::new(ImageKind::Ext4, ImageSize::default())
            }
        };
        for (make, mount) in [
            (&["-J", "device=/dev/vda"][..], &[][..]),
            (&["-d", "/root"], &[]),
            (&[], &["journal_path=/dev/vda"]),
            (&[], &["journal_dev=0xfe00"]),
            (&[], &["noatime", "logdev=x"]),
        ] {
            let error = image(make, mount).check_options().unwrap_err().to_string();
            assert!(error.contains("leads out of the image"), "{error}");
        }
        let usual = image(&["-O", "^has_journal"], &["data=writeback", "noatime"]);
        assert!(usual.check_options().is_ok());
    }
}
