//! File system of a private server, in an image file.

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

/// Error while a file system is made or mounted.
#[derive(Debug, Error)]
pub enum ImageError {
    /// This machine cannot make or mount the file system.
    #[error(transparent)]
    Tool(#[from] MissingTool),
    /// The disk below is too small.
    #[error(
        "an image of {size} may grow to its full size, and {path} has only {free} MiB free: free some, or choose a smaller --fs-size or another directory with --home"
    )]
    NoRoom {
        /// Requested size.
        size: ImageSize,
        /// Directory of the image.
        path: PathBuf,
        /// Free MiB in the directory.
        free: u64,
    },
    /// The facts of the disk below cannot be read.
    #[error(transparent)]
    FileSystem(#[from] FileSystemError),
    /// The program that makes the file system failed.
    #[error("{tool} ended with {exit}:\n  {}", .lines.join("\n  "))]
    Make {
        /// Path of the program.
        tool: PathBuf,
        /// End of the process.
        exit: Exit,
        /// First lines of the output.
        lines: Vec<String>,
    },
    /// The mount failed.
    #[error("cannot mount {kind}{}{}", with_options(.options), kernel_messages(.messages))]
    Mount {
        /// Kind of the file system.
        kind: String,
        /// Mount options.
        options: Vec<String>,
        /// Error of the system.
        source: io::Error,
        /// Messages of the kernel.
        messages: Vec<String>,
    },
    /// A step failed.
    #[error("cannot {what} the {kind} of the server")]
    Step {
        /// Failed step.
        what: &'static str,
        /// Kind of the file system.
        kind: ImageKind,
        /// Error of the system.
        source: io::Error,
    },
}

/// Checks that all these images can be made in `directory`, before any is made.
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
            messages: refusal.messages,
        }
    }
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

    /// Makes the file system in a file of `directory` and mounts it on `mount_point`, which it makes. Both belong to
    /// `user`, as does the root of the file system. The file's name is removed, so its space is freed when it is
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

fn with_options(options: &[String]) -> String {
    match options {
        [] => String::new(),
        options => format!(" with {}", options.join(",")),
    }
}

/// Writes the kernel's messages, the only explanation of an option that it refuses.
fn kernel_messages(lines: &[String]) -> String {
    let lines = lines.iter().map(|line| format!("\n  the kernel: {line}"));
    lines.collect()
}
