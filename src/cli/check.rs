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

/// Parses a number of whole seconds, written as a length of time.
pub(crate) fn whole_seconds(text: &str) -> Result<u64, String> {
    let length = duration(text)?;
    match length.subsec_nanos() {
        0 if !length.is_zero() => Ok(length.as_secs()),
        _ => Err("give whole seconds, such as 1s or 10s".to_owned()),
    }
}

/// Parses a share in percent, such as 2%, and returns it as a part of 1.
pub(crate) fn percent(text: &str) -> Result<f64, String> {
    let number = text.strip_suffix('%').unwrap_or(text).trim_end();
    match number.parse::<f64>() {
        Ok(percent) if percent > 0.0 && percent <= 100.0 => Ok(percent / 100.0),
        _ => Err("give a share above 0% and up to 100%, such as 2%".to_owned()),
    }
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
