//! Exit codes.

use std::process::ExitCode;

/// End of the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Exit {
    /// Measured, or done.
    Done = 0,
    /// Could not measure.
    Failed = 1,
    /// Wrong usage; clap uses the same code.
    Usage = 2,
    /// Measured, but the caveats say that the numbers are degraded.
    Degraded = 3,
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit as u8)
    }
}

/// Returns the message of an error followed by its causes, in one line.
pub(crate) fn with_causes(error: impl Into<anyhow::Error>) -> String {
    format!("{:#}", error.into())
}

/// Error in the arguments that clap cannot find.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub(crate) struct UsageError(pub(crate) String);
