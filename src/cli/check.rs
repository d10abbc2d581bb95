//! Lengths of time: parsing them, and refusing those that are too short.

use std::time::Duration;

use humantime::format_duration;

use crate::exit::UsageError;

/// Shortest window with meaningful percentiles.
const SHORTEST_WINDOW: Duration = Duration::from_millis(100);

/// Shortest deadline. The driver's timer cannot tell shorter ones, and would fail requests that were in time.
const SHORTEST_DEADLINE: Duration = Duration::from_millis(10);

/// Parses a length of time.
pub(crate) fn duration(text: &str) -> Result<Duration, String> {
    humantime::parse_duration(text)
        .map_err(|error| format!("{error}. Write a number and a unit, such as 500ms, 30s or 2m"))
}

/// Refuses a window that is too short.
pub(crate) fn check_window(duration: Duration) -> Result<(), UsageError> {
    check_at_least("--duration", duration, SHORTEST_WINDOW)
}

/// Refuses a deadline that is too short.
pub(crate) fn check_deadline(deadline: Duration) -> Result<(), UsageError> {
    check_at_least("--deadline", deadline, SHORTEST_DEADLINE)
}

fn check_at_least(option: &str, duration: Duration, least: Duration) -> Result<(), UsageError> {
    if duration >= least {
        return Ok(());
    }
    Err(UsageError(format!(
        "{option} {} is too short: give at least {}",
        format_duration(duration),
        format_duration(least)
    )))
}
