//! Errors of servers and their storage.

use std::io;
use std::path::{Path, PathBuf};

use logtrace_common::{ConnectError, FileClass, Flavor, Variable};
use thiserror::Error;

/// Least space that both servers need after their start, with room for temporary files.
pub(crate) const NEEDED_MIB: u32 = 400;

/// Error of a server or its storage. It has a variant where callers react to the reason, and a text for all others.
#[derive(Debug, Error)]
pub enum ServerError {
    /// The connection failed.
    #[error(transparent)]
    Connect(#[from] ConnectError),
    /// The server does not take a setting.
    #[error(transparent)]
    Setting(#[from] SettingError),
    /// The disk is full.
    #[error(
        "the disk of {0} is full: a private server needs {NEEDED_MIB} MiB there, and space for its tables. Free some, or choose another directory with --home"
    )]
    DiskFull(PathBuf),
    /// The disk has no room for the image of a file system.
    #[error("{0}")]
    NoRoom(String),
    /// The program that makes a file system failed.
    #[error("{0}")]
    Make(String),
    /// The kernel does not mount a file system.
    #[error("{message}")]
    Mount {
        /// Kind and options of the file system, and the messages of the kernel.
        message: String,
        /// Error of the system.
        source: io::Error,
    },
    /// A class of files cannot be placed at its location.
    #[error("{class} cannot be stored as chosen")]
    Placement {
        /// Class of the files.
        class: FileClass,
        /// Reason.
        source: anyhow::Error,
    },
    /// Any other reason.
    #[error(transparent)]
    Other(#[from] anyhow::Error),
}

/// Error of a setting.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum SettingError {
    /// logtrace itself sets the variable.
    #[error("{0} cannot be set: logtrace itself chooses where a private server is and who reaches it")]
    Reserved(String),
    /// The value of a private server's variable is a path outside of its directories.
    #[error(
        "{0} leads out of the directories of the private server: name a file in its data directory, or use --place"
    )]
    Path(Variable),
    /// The server has no such variable.
    #[error("this {flavor} has no variable {name}: check the spelling, and that it belongs to this version")]
    Unknown {
        /// Name of the variable.
        name: String,
        /// Flavor of the server.
        flavor: Flavor,
    },
    /// The server runs with another value.
    #[error(
        "the server did not take {wanted}: it reports {reported:?}. Choose a value that it takes unchanged"
    )]
    NotTaken {
        /// Variable with the wanted value.
        wanted: Variable,
        /// Reported value.
        reported: String,
    },
    /// A running server cannot change it.
    #[error("{0} can only be set when a server starts: use a private server, or restart this one with it")]
    ReadOnly(String),
    /// The variable has no global value.
    #[error("{0} is a variable of sessions alone: use --session")]
    OfSessions(String),
    /// The server does not tell the value, so it could not be restored.
    #[error("cannot read the value of {name}, and what cannot be restored is not changed: {message}")]
    Unreadable {
        /// Name of the variable.
        name: String,
        /// Message of the server, or what was seen.
        message: String,
    },
    /// The server does not take the present value, so it could not be restored.
    #[error("{name} cannot be set to its present value again, so it is not changed: {message}")]
    OneWay {
        /// Name of the variable.
        name: String,
        /// Message of the server, or what was seen.
        message: String,
    },
    /// The server changed variables when it was told to keep their values, and no SET gives these back.
    #[error(
        "the server changed what was set to its present value, and takes this value no more: {told}. logtrace changes nothing \
         else. Set first what limits it, or restart the server; and measure without --set of it"
    )]
    Lost {
        /// Names of the variables.
        names: Vec<String>,
        /// The variables with their values.
        told: String,
    },
    /// The account lacks a privilege.
    #[error(
        "this account may not set {name}: {message}. As an administrator type: GRANT {privilege} ON *.* TO ACCOUNT; ACCOUNT is what \
         SELECT CURRENT_USER() tells it"
    )]
    Privilege {
        /// Name of the variable.
        name: String,
        /// Privilege that is enough.
        privilege: String,
        /// Message of the server.
        message: String,
    },
    /// The server changed other variables, too.
    #[error(
        "when {set} was set, the server also changed {others}. logtrace does not know this effect, so it undoes all: set the \
         variables yourself, and measure without --set"
    )]
    Others {
        /// Names of the variables that were set.
        set: String,
        /// Other variables, with old and new values.
        others: String,
    },
    /// The server refused the value.
    #[error("the server refuses {name}={value}: {message}")]
    Refused {
        /// Name of the variable.
        name: String,
        /// Value as it was sent.
        value: String,
        /// Message of the server.
        message: String,
    },
}

impl ServerError {
    /// Returns a function that makes an error of the file system at `path`.
    pub(crate) fn directory(what: &str, path: &Path) -> impl FnOnce(io::Error) -> Self {
        move |source| {
            let remedy = match source.kind() {
                io::ErrorKind::StorageFull => return Self::DiskFull(path.to_owned()),
                io::ErrorKind::PermissionDenied => {
                    " (run logtrace as root, or choose another directory with --home)"
                }
                io::ErrorKind::ReadOnlyFilesystem => " (choose another directory with --home)",
                _ => "",
            };
            let text = format!("cannot {what} {}{remedy}", path.display());
            anyhow::Error::from(source).context(text).into()
        }
    }

    pub(crate) fn copy(from: &Path, to: &Path, source: io::Error) -> Self {
        match source.kind() {
            io::ErrorKind::StorageFull => Self::DiskFull(to.to_owned()),
            _ => anyhow::Error::from(source)
                .context(format!("cannot copy {} to {}", from.display(), to.display()))
                .into(),
        }
    }

    /// Returns the same error, but names `base` if the disk of a path in it is full.
    pub(crate) fn in_base(self, base: &Path) -> Self {
        match self {
            Self::DiskFull(path) if path.starts_with(base) => Self::DiskFull(base.to_owned()),
            other => other,
        }
    }
}

/// Returns success also if what was to be removed did not exist.
pub(crate) fn unless_gone(removed: io::Result<()>) -> io::Result<()> {
    match removed {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}
