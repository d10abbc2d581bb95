//! A file system of a private server's own, in a file.

use std::fs::{self, OpenOptions, Permissions};
use std::io;
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt, fchown};
use std::path::{Path, PathBuf};

use rustix::io::Errno;
use rustix::mount::{MountFlags, UnmountFlags, mount, unmount};
use thiserror::Error;

use crate::file_system::{FileSystemError, FileSystemFacts};
use crate::image_kind::{ImageKind, MissingTool};
use crate::image_size::ImageSize;
use crate::log::{ServerLog, telling_lines};
use crate::loop_device::LoopDevice;
use crate::private_mounts::PrivateMounts;
use crate::process::{Launch, ServerProcess};
use crate::user::ServerUser;
use crate::watch::Exit;

/// A file system to make for one server.
#[derive(Clone, Copy, Debug)]
pub struct ImageConfig {
    /// Which.
    pub kind: ImageKind,
    /// How large. The file is sparse: it takes what is written.
    pub size: ImageSize,
    /// Where it is mounted, others do not see it.
    pub mounts: PrivateMounts,
}

/// Why there is no such file system.
#[derive(Debug, Error)]
pub enum ImageError {
    /// It cannot be made or mounted here.
    #[error(transparent)]
    Tool(#[from] MissingTool),
    /// The disk below cannot hold it.
    #[error(
        "an image of {size} may come to need all of its size, and {path} has {free} MiB free: free some, ask for less with --fs-size, or choose another directory with --home"
    )]
    NoRoom {
        /// The size that was asked for.
        size: ImageSize,
        /// The directory of the image.
        path: PathBuf,
        /// MiB that are free there.
        free: u64,
    },
    /// The disk below is not known.
    #[error(transparent)]
    FileSystem(#[from] FileSystemError),
    /// The program that makes the file system failed.
    #[error("{tool} ended with {exit}:\n  {}", .lines.join("\n  "))]
    Make {
        /// The program.
        tool: PathBuf,
        /// How it ended.
        exit: Exit,
        /// What it said.
        lines: Vec<String>,
    },
    /// A step failed.
    #[error("cannot {what} the {kind} of the server: {source}")]
    Step {
        /// The step.
        what: &'static str,
        /// The file system.
        kind: ImageKind,
        /// What the system said.
        source: io::Error,
    },
}

/// A mounted image without a name: unmounted when dropped, and its blocks are free again.
///
/// When logtrace is killed, the mount goes with its namespace, the loop device with the mount, and the file with the
/// device.
#[derive(Debug)]
pub(crate) struct MountedImage {
    mount_point: PathBuf,
    mounted: bool,
}

impl ImageConfig {
    /// Fails when it cannot be made in `directory`, before anything is.
    pub(crate) fn check(&self, directory: &Path) -> Result<(), ImageError> {
        self.kind.tool()?;
        let free = FileSystemFacts::of(directory)?.free_bytes;
        if free >= self.size.bytes() {
            return Ok(());
        }
        Err(ImageError::NoRoom {
            size: self.size,
            path: directory.to_owned(),
            free: free >> 20,
        })
    }

    /// Makes the file system in a file of `directory` and mounts it on `mount_point`, which it makes; both belong to
    /// `user`, as the root of the file system does.
    pub(crate) async fn mount(
        &self,
        directory: &Path,
        mount_point: &Path,
        user: &ServerUser,
        log: &ServerLog,
    ) -> Result<MountedImage, ImageError> {
        let path = directory.join("image");
        let file = OpenOptions::new()
            .read(true)
            .write(true)
            .create_new(true)
            .mode(0o600)
            .open(&path)
            .map_err(self.failed("create"))?;
        file.set_len(self.size.bytes()).map_err(self.failed("create"))?;
        fchown(&file, Some(user.uid), Some(user.gid)).map_err(self.failed("create"))?;
        self.make(&path, directory, user, log).await?;
        let device = LoopDevice::attach(&file).map_err(self.failed("attach a loop device to"))?;
        fs::remove_file(&path).map_err(self.failed("hide"))?;
        self.mount_device(&device, mount_point, user)
            .map_err(self.failed("mount"))
    }

    /// As the server's user, whom the file belongs to: it takes no more.
    ///
    /// It is made in the file, not on the device: mkfs.ext4 knows that a sparse file reads as zeros, and leaves the
    /// kernel no inode tables to zero in the background while something is measured.
    async fn make(
        &self,
        path: &Path,
        directory: &Path,
        user: &ServerUser,
        log: &ServerLog,
    ) -> Result<(), ImageError> {
        let tool = self.kind.tool()?;
        let process = ServerProcess::spawn(&Launch {
            program: &tool,
            arguments: &["-q".into(), path.into()],
            user,
            directory,
            log,
        })
        .map_err(self.failed("make"))?;
        match process.watch().ended().await {
            Exit::Code(0) => Ok(()),
            exit => Err(ImageError::Make {
                tool,
                exit,
                lines: telling_lines(&log.text()),
            }),
        }
    }

    fn mount_device(
        &self,
        device: &LoopDevice,
        mount_point: &Path,
        user: &ServerUser,
    ) -> io::Result<MountedImage> {
        fs::create_dir(mount_point)?;
        let flags = MountFlags::NODEV | MountFlags::NOSUID;
        mount(device.path(), mount_point, self.kind.as_str(), flags, None)?;
        let image = MountedImage {
            mount_point: mount_point.to_owned(),
            mounted: true,
        };
        fs::set_permissions(mount_point, Permissions::from_mode(0o700))?;
        user.own(mount_point)?;
        Ok(image)
    }

    fn failed(&self, what: &'static str) -> impl FnOnce(io::Error) -> ImageError {
        let kind = self.kind;
        move |source| ImageError::Step { what, kind, source }
    }
}

impl MountedImage {
    pub(crate) fn path(&self) -> &Path {
        &self.mount_point
    }

    /// Unmounts it, and says so when that fails.
    pub(crate) fn unmount(mut self) -> io::Result<()> {
        self.mounted = false;
        Ok(take_off(&self.mount_point)?)
    }
}

impl Drop for MountedImage {
    fn drop(&mut self) {
        if self.mounted {
            // What stays mounted goes with this process.
            let _ = take_off(&self.mount_point);
        }
    }
}

/// While something still has a file of it open, its name goes and the rest follows.
fn take_off(mount_point: &Path) -> Result<(), Errno> {
    match unmount(mount_point, UnmountFlags::empty()) {
        Err(Errno::BUSY) => unmount(mount_point, UnmountFlags::DETACH),
        ended => ended,
    }
}
