//! Exit codes.

use std::process::ExitCode;

pub(crate) use logtrace_measure::errors::{UsageError, with_causes};

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
