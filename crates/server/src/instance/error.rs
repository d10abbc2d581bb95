//! Why a private instance did not start.

use std::io;
use std::path::{Path, PathBuf};

use thiserror::Error;

use crate::install::binary::Binary;
use crate::install::os_user::UserError;
use crate::instance::copy_tree::CopyError;
use crate::instance::snapshot::KeptError;
use crate::process::error_log::{ServerLog, disk_is_full, telling_lines, unknown_variable};
use crate::process::pidfd::Exit;
use crate::settings::set_global::SetError;
use crate::settings::variable::SettingError;
use crate::storage::fs_image::ImageError;
use crate::storage::fs_image::size::ImageSize;
use crate::storage::placement::PlacementError;
use logtrace_common::ConnectError;

/// What both servers take at the least when they have started, with room for their temporary files.
const NEEDED_MIB: u32 = 400;

/// Why a private instance did not start. Nothing of it is left.
#[derive(Debug, Error)]
pub enum StartError {
    /// There is no user to run it as.
    #[error(transparent)]
    User(#[from] UserError),
    /// A setting cannot be had.
    #[error(transparent)]
    Setting(#[from] SettingError),
    /// A directory could not be made or used.
    #[error("cannot {what} {path}: {source}{}", remedy(.source))]
    Directory {
        /// What was tried.
        what: &'static str,
        /// The directory or file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The server's user may not pass a directory above the instance.
    #[error(
        "the server runs as user {user}, who may not enter {path}: chmod o+x {path}, or choose another directory with --home"
    )]
    Closed {
        /// The directory.
        path: PathBuf,
        /// The user.
        user: String,
    },
    /// The kernel takes 107 bytes for the path of a socket (unix(7)).
    #[error("the socket's path {0} is longer than 107 bytes: choose a directory with a shorter path")]
    SocketPath(PathBuf),
    /// MariaDB's program that initialises a data directory is missing.
    #[error("found none of {} to initialise a data directory: install the whole of MariaDB's server package", list(.0))]
    NoInstallScript(Vec<PathBuf>),
    /// The disk is full.
    #[error(
        "the disk of {0} is full: a private server needs {NEEDED_MIB} MiB there, and what its tables take. Free some, or choose another directory with --home"
    )]
    DiskFull(PathBuf),
    /// The image of the server's file system is full.
    #[error(
        "the server's file system of {0} is full: a private server needs {NEEDED_MIB} MiB there, and what its tables and logs take. Ask for more with --fs-size"
    )]
    ImageFull(ImageSize),
    /// There is no file system for the server.
    #[error(transparent)]
    Image(#[from] ImageError),
    /// Its files cannot be where they shall be.
    #[error(transparent)]
    Placement(#[from] PlacementError),
    /// It cannot read the data that was kept.
    #[error(transparent)]
    Kept(#[from] KeptError),
    /// The data directory could not be copied.
    #[error(transparent)]
    Copy(#[from] CopyError),
    /// A program could not be started.
    #[error("cannot start {program}: {source}")]
    Spawn {
        /// The program.
        program: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The program ended before it was of use.
    #[error("{server} ended with {exit} while {doing}:\n{}\nAll of its log: {log}", indented(.lines))]
    Ended {
        /// Flavor and version.
        server: String,
        /// What it was doing.
        doing: &'static str,
        /// How it ended.
        exit: Exit,
        /// The telling lines of its log.
        lines: Vec<String>,
        /// Its log.
        log: PathBuf,
    },
    /// It runs, but answers nobody.
    #[error("{server} answered nobody within {seconds} s:\n{}\nAll of its log: {log}", indented(.lines))]
    NotReady {
        /// Flavor and version.
        server: String,
        /// How long was waited.
        seconds: u64,
        /// The telling lines of its log.
        lines: Vec<String>,
        /// Its log.
        log: PathBuf,
    },
    /// It runs and refuses logtrace.
    #[error(transparent)]
    Connect(#[from] ConnectError),
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
    /// An error of the file system at `path`.
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

    /// An error of copying into the instances' directory `base`.
    pub(crate) fn copy(error: CopyError, base: &Path) -> Self {
        match error.source.kind() {
            io::ErrorKind::StorageFull if error.to.starts_with(base) => Self::DiskFull(base.to_owned()),
            io::ErrorKind::StorageFull => Self::DiskFull(error.to),
            _ => Self::Copy(error),
        }
    }

    /// The same, where the disk of `base` is an image of this size.
    pub(crate) fn on_image(self, size: ImageSize, base: &Path) -> Self {
        match self {
            Self::DiskFull(path) if path == base => Self::ImageFull(size),
            other => other,
        }
    }

    /// What the log makes of a program that ended; `directory` is where it wrote.
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
            lines: telling_lines(&text),
            log: log.path().to_owned(),
        }
    }

    pub(crate) fn not_ready(binary: &Binary, seconds: u64, log: &ServerLog) -> Self {
        Self::NotReady {
            server: server(binary),
            seconds,
            lines: telling_lines(&log.text()),
            log: log.path().to_owned(),
        }
    }
}

fn remedy(source: &io::Error) -> &'static str {
    match source.kind() {
        io::ErrorKind::PermissionDenied => ". Run logtrace as root, or choose another directory with --home",
        io::ErrorKind::ReadOnlyFilesystem => ". Choose another directory with --home",
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
