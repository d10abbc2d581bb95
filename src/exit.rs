//! Exit codes.

use std::fmt;
use std::process::ExitCode;

/// End of the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Exit {
    /// Measured, or done.
    Done,
    /// Could not measure.
    Failed,
    /// Wrong usage; clap uses the same code.
    Usage,
    /// Measured, but the caveats say that the numbers are degraded.
    Degraded,
}

impl Exit {
    /// Returns the exit code of an error.
    pub(crate) fn of_error(error: &anyhow::Error) -> Self {
        if error.is::<UsageError>() {
            Self::Usage
        } else {
            Self::Failed
        }
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        match exit {
            Exit::Done => Self::SUCCESS,
            Exit::Failed => Self::from(1),
            Exit::Usage => Self::from(2),
            Exit::Degraded => Self::from(3),
        }
    }
}

/// Returns the message of an error followed by its causes, in one line.
pub(crate) fn with_causes(error: impl Into<anyhow::Error>) -> String {
    format!("{:#}", error.into())
}

/// Error in the arguments that clap cannot find.
#[derive(Debug)]
pub(crate) struct UsageError(pub(crate) String);

impl fmt::Display for UsageError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for UsageError {}
