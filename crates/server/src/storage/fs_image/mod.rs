//! A file system of a private server's own, in a file.

pub(crate) mod fs_kind;
pub(crate) mod loop_device;
pub(crate) mod size;

use std::ffi::OsString;
use std::fs::{self, OpenOptions, Permissions};
use std::io;
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt, fchown};
use std::path::{Path, PathBuf};

use thiserror::Error;

use crate::facts::file_system::{FileSystemError, FileSystemFacts};
use crate::install::os_user::ServerUser;
use crate::process::child::{Launch, ServerProcess};
use crate::process::error_log::{ServerLog, first_lines};
use crate::process::pidfd::Exit;
use crate::storage::fs_image::fs_kind::{ImageKind, MissingTool};
use crate::storage::fs_image::loop_device::LoopDevice;
use crate::storage::fs_image::size::ImageSize;
use crate::storage::mount::{Mounted, Refusal, mount};
use crate::storage::mount_namespace::PrivateMounts;

/// A file system to make for one server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ImageConfig {
    /// Which.
    pub kind: ImageKind,
    /// How large. The file is sparse: it takes what is written.
    pub size: ImageSize,
    /// Arguments of the program that makes it, such as `-O` and `^has_journal`, each word by itself.
    pub make_options: Vec<String>,
    /// Options of mount(8), such as `data=writeback`, each by itself.
    pub mount_options: Vec<String>,
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
    /// It was not mounted.
    #[error("cannot mount {kind}{}: {source}{}", with(.options), what_kernel_told(.told))]
    Mount {
        /// The file system.
        kind: String,
        /// The options.
        options: Vec<String>,
        /// What the system said.
        source: io::Error,
        /// What the kernel said besides.
        told: Vec<String>,
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

/// Fails when these cannot be made in `directory`, all together, before anything is.
pub(crate) fn check_images(images: &[&ImageConfig], directory: &Path) -> Result<(), ImageError> {
    for image in images {
        image.kind.tool()?;
    }
    let size = ImageSize::sum(images.iter().map(|image| image.size));
    let free = FileSystemFacts::of(directory)?.free_bytes;
    if images.is_empty() || free >= size.bytes() {
        return Ok(());
    }
    Err(ImageError::NoRoom {
        size,
        path: directory.to_owned(),
        free: free >> 20,
    })
}

impl ImageError {
    pub(crate) fn mount(kind: &str, options: &[String], refusal: Refusal) -> Self {
        Self::Mount {
            kind: kind.to_owned(),
            options: options.to_owned(),
            source: refusal.source,
            told: refusal.told,
        }
    }
}

impl ImageConfig {
    /// One with the defaults of its kind.
    pub fn new(kind: ImageKind, size: ImageSize, mounts: PrivateMounts) -> Self {
        Self {
            kind,
            size,
            make_options: Vec::new(),
            mount_options: Vec::new(),
            mounts,
        }
    }

    /// Makes the file system in a file of `directory` and mounts it on `mount_point`, which it makes; both belong to
    /// `user`, as the root of the file system does. It has no name, and goes when it is unmounted.
    ///
    /// When logtrace is killed, the mount goes with its namespace, the loop device with the mount, and the file with
    /// the device.
    pub(crate) async fn mount(
        &self,
        directory: &Path,
        mount_point: &Path,
        user: &ServerUser,
        log: &ServerLog,
    ) -> Result<Mounted, ImageError> {
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
        fs::create_dir(mount_point).map_err(self.failed("mount"))?;
        let mounted = mount(
            self.kind.as_str(),
            Some(device.path()),
            mount_point,
            &self.mount_options,
        );
        let mounted =
            mounted.map_err(|refusal| ImageError::mount(self.kind.as_str(), &self.mount_options, refusal))?;
        let own = || {
            fs::set_permissions(mount_point, Permissions::from_mode(0o700))?;
            user.own(mount_point)
        };
        own().map_err(self.failed("give away"))?;
        Ok(mounted)
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
        let mut arguments = vec!["-q".into()];
        arguments.extend(self.make_options.iter().map(OsString::from));
        arguments.push(path.into());
        let process = ServerProcess::spawn(&Launch {
            program: &tool,
            arguments: &arguments,
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
                lines: first_lines(&log.text()),
            }),
        }
    }

    fn failed(&self, what: &'static str) -> impl FnOnce(io::Error) -> ImageError {
        let kind = self.kind;
        move |source| ImageError::Step { what, kind, source }
    }
}

fn with(options: &[String]) -> String {
    match options {
        [] => String::new(),
        options => format!(" with {}", options.join(",")),
    }
}

/// What the kernel tells is all that there is to say: which options there are depends on it.
fn what_kernel_told(lines: &[String]) -> String {
    let lines = lines.iter().map(|line| format!("\n  the kernel: {line}"));
    lines.collect()
}
