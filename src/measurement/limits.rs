//! The length of what is measured, and how much of it is traced.

use std::time::Duration;

use humantime::format_duration;

use crate::cli::TracingArgs;
use crate::exit::UsageError;

/// A window shorter than this has no percentiles worth the name.
const SHORTEST: Duration = Duration::from_millis(100);

/// Refuses a window that is too short.
pub(crate) fn check_duration(duration: Duration) -> Result<(), UsageError> {
    if duration >= SHORTEST {
        return Ok(());
    }
    Err(UsageError(format!(
        "--duration {} is too short: give at least {}",
        format_duration(duration),
        format_duration(SHORTEST)
    )))
}

/// Refuses a sample of a window in which there may be no burst and no gap.
pub(crate) fn checked_tracing(
    wanted: TracingArgs,
    duration: Option<Duration>,
) -> Result<TracingArgs, UsageError> {
    let sampling = wanted.sample;
    let least = sampling.period();
    match duration {
        Some(duration) if sampling.has_gaps() && duration < least => Err(UsageError(format!(
            "--duration {} is too short for --sample {sampling}: give at least {}, the time of one burst and one gap",
            format_duration(duration),
            format_duration(least)
        ))),
        _ => Ok(wanted),
    }
}
