//! The length of what is measured.

use std::time::Duration;

use humantime::format_duration;

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
