//! Errors of inputs.

use std::io;

use thiserror::Error;

/// Reason why a file is not read. Messages do not name the file: the caller does.
#[derive(Debug, Error)]
pub enum InputError {
    /// Failure to open or to read it.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// Symbolic link.
    #[error("it is a link, which is not followed: give the file itself")]
    Link,
    /// Something else than a file.
    #[error("it is {0}, and no regular file")]
    Kind(&'static str),
    /// File above the limit of its kind.
    #[error("it has {bytes} bytes, and such a file has at most {limit}")]
    TooLarge {
        /// Size.
        bytes: u64,
        /// Limit.
        limit: u64,
    },
    /// Text with a byte that texts do not have, as the holes of a file do.
    #[error("it is no text: byte {0} is 0")]
    NoText(u64),
    /// Name that leads out of its directory.
    #[error("its name leads out of its directory")]
    Outside,
}

impl InputError {
    /// Returns whether there is no such file.
    pub fn is_missing(&self) -> bool {
        self.io_kind() == Some(io::ErrorKind::NotFound)
    }

    /// Returns whether this user may not read it.
    pub fn is_denied(&self) -> bool {
        self.io_kind() == Some(io::ErrorKind::PermissionDenied)
    }

    fn io_kind(&self) -> Option<io::ErrorKind> {
        match self {
            Self::Io(error) => Some(error.kind()),
            Self::Link | Self::Kind(_) | Self::TooLarge { .. } | Self::NoText(_) | Self::Outside => None,
        }
    }
}

impl From<InputError> for io::Error {
    fn from(error: InputError) -> Self {
        match error {
            InputError::Io(error) => error,
            other => Self::other(other),
        }
    }
}
