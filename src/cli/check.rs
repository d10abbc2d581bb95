//! Lengths of time: parsing them, and refusing those that are too short.

use std::time::Duration;

use humantime::format_duration;

use crate::exit::UsageError;

/// Shortest window with meaningful percentiles.
const SHORTEST_WINDOW: Duration = Duration::from_millis(100);

/// Shortest deadline. The driver's timer cannot tell shorter ones, and would fail requests that were in time.
const SHORTEST_DEADLINE: Duration = Duration::from_millis(10);

/// Parses a length of time. A number without a unit is in seconds, as a rate without one is in requests a second.
pub(crate) fn duration(text: &str) -> Result<Duration, String> {
    let how = "Write a number and a unit, such as 500ms, 30s or 2m; without a unit it is in seconds";
    match text.parse::<f64>() {
        // Words that are numbers to Rust, such as inf, are none here.
        Ok(seconds) if text.starts_with(|c: char| c.is_ascii_digit()) => {
            Duration::try_from_secs_f64(seconds).map_err(|error| format!("{error}. {how}"))
        }
        _ => humantime::parse_duration(text).map_err(|error| format!("{error}. {how}")),
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_length_without_a_unit_is_in_seconds() {
        for (text, millis) in [
            ("30", 30_000),
            ("0.5", 500),
            ("0", 0),
            ("500ms", 500),
            ("2m", 120_000),
            ("1m 30s", 90_000),
        ] {
            assert_eq!(duration(text), Ok(Duration::from_millis(millis)), "{text}");
        }
        assert_eq!(whole_seconds("2"), Ok(2));
        assert!(whole_seconds("0.5").is_err());
    }

    #[test]
    fn what_is_no_length_is_refused_with_what_to_write() {
        for text in ["", ".", "soon", "inf", "nan", "-5", "30 x", "1e300", "5 5"] {
            let error = duration(text).unwrap_err();
            assert!(error.contains("500ms, 30s or 2m"), "{text}: {error}");
        }
    }
}
