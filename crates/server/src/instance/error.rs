//! Errors of the start of a private instance.

use std::io;
use std::path::{Path, PathBuf};

use thiserror::Error;

use crate::install::binary::Binary;
use crate::install::os_user::UserError;
use crate::instance::copy_tree::CopyError;
use crate::process::error_log::{ServerLog, disk_is_full, error_lines, unknown_variable};
use crate::process::pidfd::Exit;
use crate::settings::set_global::SetError;
use crate::settings::variable::SettingError;
use crate::storage::fs_image::ImageError;
use crate::storage::fs_image::size::ImageSize;
use crate::storage::mount_namespace::MountNamespaceError;
use crate::storage::placement::PlacementError;
use logtrace_common::ConnectError;

/// Least space that both servers need after their start, with room for temporary files.
const NEEDED_MIB: u32 = 400;

/// Error of the start of a private instance. Nothing of it is left.
#[derive(Debug, Error)]
pub enum StartError {
    /// No user can run the server.
    #[error(transparent)]
    User(#[from] UserError),
    /// The server does not take a setting.
    #[error(transparent)]
    Setting(#[from] SettingError),
    /// A directory cannot be made or used.
    #[error("cannot {what} {path}{}", remedy(.source))]
    Directory {
        /// Failed step.
        what: &'static str,
        /// The directory or file.
        path: PathBuf,
        /// Error of the system.
        source: io::Error,
    },
    /// The server's user may not enter a directory above the instance.
    #[error(
        "the server runs as user {user}, who may not enter {path}: chmod o+x {path}, or choose another directory with --home"
    )]
    Closed {
        /// Directory.
        path: PathBuf,
        /// Name of the user.
        user: String,
    },
    /// The path of the socket is longer than the 107 bytes that the kernel allows (unix(7)).
    #[error("the socket's path {0} is longer than 107 bytes: choose a directory with a shorter path")]
    SocketPath(PathBuf),
    /// MariaDB's program that initialises a data directory is missing.
    #[error("found none of {} to initialise a data directory: install the whole of MariaDB's server package", list(.0))]
    NoInstallScript(Vec<PathBuf>),
    /// The disk is full.
    #[error(
        "the disk of {0} is full: a private server needs {NEEDED_MIB} MiB there, and space for its tables. Free some, or choose another directory with --home"
    )]
    DiskFull(PathBuf),
    /// The image of the server's file system is full.
    #[error(
        "the server's file system of {0} is full: a private server needs {NEEDED_MIB} MiB there, and space for its tables and logs. Choose a larger --fs-size"
    )]
    ImageFull(ImageSize),
    /// The server's file system cannot be made.
    #[error(transparent)]
    Image(#[from] ImageError),
    /// File systems cannot be mounted for the server.
    #[error(transparent)]
    Mounts(#[from] MountNamespaceError),
    /// Files cannot be at their location.
    #[error(transparent)]
    Placement(#[from] PlacementError),
    /// The server cannot start with the snapshot.
    #[error(transparent)]
    Snapshot(#[from] SnapshotMismatch),
    /// The data directory could not be copied.
    #[error(transparent)]
    Copy(#[from] CopyError),
    /// A program could not be started.
    #[error("cannot start {program}")]
    Spawn {
        /// Path of the program.
        program: PathBuf,
        /// Error of the system.
        source: io::Error,
    },
    /// The program ended too early.
    #[error("{server} ended with {exit} while {doing}:\n{}\nFull log: {log}", indented(.lines))]
    Ended {
        /// Flavor and version.
        server: String,
        /// Task of the program.
        doing: &'static str,
        /// End of the process.
        exit: Exit,
        /// Lines of the log that explain the failure.
        lines: Vec<String>,
        /// Path of the log.
        log: PathBuf,
    },
    /// The server runs, but does not answer.
    #[error("{server} did not answer within {seconds} s:\n{}\nFull log: {log}", indented(.lines))]
    NotReady {
        /// Flavor and version.
        server: String,
        /// Seconds of waiting.
        seconds: u64,
        /// Lines of the log that explain the failure.
        lines: Vec<String>,
        /// Path of the log.
        log: PathBuf,
    },
    /// The server runs and refuses the connection.
    #[error(transparent)]
    Connect(#[from] ConnectError),
}

/// Reason why a server cannot start with a snapshot.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum SnapshotMismatch {
    /// Another program wrote it.
    #[error("the data is from {snapshot}, and {wanted} cannot start with it: load it once for each server")]
    Server {
        /// Server that wrote the data.
        snapshot: String,
        /// Server that was to start with it.
        wanted: String,
    },
    /// Settings that a data directory depends on are different.
    #[error(
        "the data is from a server with {snapshot:?}, and a server with {wanted:?} cannot read it: load it once for each"
    )]
    Initialised {
        /// Settings of the server that wrote the data.
        snapshot: Vec<String>,
        /// Settings of the server that was to start with it.
        wanted: Vec<String>,
    },
}

impl From<SetError> for StartError {
    fn from(error: SetError) -> Self {
        match error {
            SetError::Connect(error) => Self::Connect(error),
            SetError::Setting(error) => Self::Setting(error),
        }
    }
}

impl StartError {
    /// Returns a function that makes an error of the file system at `path`.
    pub(crate) fn directory(what: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Self {
        move |source| match source.kind() {
            io::ErrorKind::StorageFull => Self::DiskFull(path.to_owned()),
            _ => Self::Directory {
                what,
                path: path.to_owned(),
                source,
            },
        }
    }

    /// Returns an error of copying into the directory `base` of instances.
    pub(crate) fn copy(error: CopyError, base: &Path) -> Self {
        match error.source.kind() {
            io::ErrorKind::StorageFull if error.to.starts_with(base) => Self::DiskFull(base.to_owned()),
            io::ErrorKind::StorageFull => Self::DiskFull(error.to),
            _ => Self::Copy(error),
        }
    }

    /// Returns the same error, but names the image if its disk is full. `base` is on an image of this size.
    pub(crate) fn on_image(self, size: ImageSize, base: &Path) -> Self {
        match self {
            Self::DiskFull(path) if path == base => Self::ImageFull(size),
            other => other,
        }
    }

    /// Returns the error for a program that ended, by its log. `directory` is where the program wrote.
    pub(crate) fn ended(
        binary: &Binary,
        doing: &'static str,
        exit: Exit,
        log: &ServerLog,
        directory: &Path,
    ) -> Self {
        let text = log.text();
        if let Some(name) = unknown_variable(&text) {
            let flavor = binary.flavor;
            return SettingError::Unknown { name, flavor }.into();
        }
        if disk_is_full(&text) {
            return Self::DiskFull(directory.to_owned());
        }
        Self::Ended {
            server: server(binary),
            doing,
            exit,
            lines: error_lines(&text),
            log: log.path().to_owned(),
        }
    }

    pub(crate) fn not_ready(binary: &Binary, seconds: u64, log: &ServerLog) -> Self {
        Self::NotReady {
            server: server(binary),
            seconds,
            lines: error_lines(&log.text()),
            log: log.path().to_owned(),
        }
    }
}

fn remedy(source: &io::Error) -> &'static str {
    match source.kind() {
        io::ErrorKind::PermissionDenied => " (run logtrace as root, or choose another directory with --home)",
        io::ErrorKind::ReadOnlyFilesystem => " (choose another directory with --home)",
        _ => "",
    }
}

fn server(binary: &Binary) -> String {
    format!("{} {}", binary.flavor, binary.version)
}

fn indented(lines: &[String]) -> String {
    if lines.is_empty() {
        return "  (it logged nothing)".to_owned();
    }
    lines
        .iter()
        .map(|line| format!("  {line}"))
        .collect::<Vec<_>>()
        .join("\n")
}

fn list(paths: &[PathBuf]) -> String {
    let words: Vec<_> = paths.iter().map(|path| path.to_string_lossy()).collect();
    words.join(", ")
}
