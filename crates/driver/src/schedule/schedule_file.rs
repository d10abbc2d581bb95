//! Files of schedules.
//!
//! Each line is a step: its length and its rate in requests per second, or two rates between which it rises or falls
//! evenly. `repeat N` runs the lines since the start or the last `repeat` N times in total:
//!
//! ```text
//! # from 100/s to 5,000/s, then bursts: 200 ms of each second
//! 10s   100..5000
//! 800ms 100
//! 200ms 5000
//! repeat 20
//! ```

use std::time::Duration;

use logtrace_common::FileError;

use crate::schedule::{Schedule, ScheduleStep};
use crate::util::content_lines;

/// Maximum number of steps; each takes 24 bytes.
const MOST_STEPS: usize = 1_000_000;

impl Schedule {
    /// Reads the text of a schedule file. Reports and errors show the name. `duration` parses a length, such as 500ms or
    /// 30s, or returns a message.
    pub fn read(
        name: &str,
        text: &str,
        duration: impl Fn(&str) -> Result<Duration, String>,
    ) -> Result<Self, FileError> {
        let mut steps = Vec::new();
        let mut block = 0;
        for (line, line_text) in content_lines(text) {
            let at_line = |problem| FileError::new(name, Some(line), problem);
            match line_text.strip_prefix("repeat") {
                Some(times) => {
                    repeat(&mut steps, block, times.trim()).map_err(at_line)?;
                    block = steps.len();
                }
                None => steps.push(step(line_text, &duration).map_err(at_line)?),
            }
        }
        Self::new(name.into(), steps).map_err(|error| FileError::new(name, None, error.to_string()))
    }
}

fn step(
    line_text: &str,
    duration: impl Fn(&str) -> Result<Duration, String>,
) -> Result<ScheduleStep, String> {
    let Some((length, rates)) = line_text.split_once(char::is_whitespace) else {
        return Err(format!(
            "{line_text:?} is not a step: write DURATION RATE or DURATION RATE..RATE, such as 10s 100..5000"
        ));
    };
    let rates = rates.trim();
    let (from, to) = rates.split_once("..").unwrap_or((rates, rates));
    let step = ScheduleStep::new(duration(length)?, rate(from)?, rate(to)?);
    step.map_err(|error| format!("{line_text:?}: {error}"))
}

fn rate(line_text: &str) -> Result<f64, String> {
    let number = line_text.strip_suffix("/s").unwrap_or(line_text);
    number
        .parse()
        .map_err(|_| format!("{line_text:?} is not a rate: write requests per second, such as 500"))
}

fn repeat(steps: &mut Vec<ScheduleStep>, block: usize, times: &str) -> Result<(), String> {
    let times: usize = times.parse().unwrap_or(0);
    if times == 0 {
        return Err("the number of repeats is missing or 0: write repeat N with N of at least 1".into());
    }
    let repeated = steps[block..].to_vec();
    if repeated.is_empty() {
        return Err("repeat has no steps before it: write the steps first".into());
    }
    match repeated.len().checked_mul(times) {
        Some(more) if block + more <= MOST_STEPS => {
            for _ in 1..times {
                steps.extend_from_slice(&repeated);
            }
            Ok(())
        }
        _ => Err(format!("more than {MOST_STEPS} steps")),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn read(text: &str) -> Result<Schedule, FileError> {
        Schedule::read("a.txt", text, |text| {
            let seconds = text.strip_suffix('s').and_then(|number| number.parse().ok());
            seconds
                .map(Duration::from_secs_f64)
                .ok_or_else(|| format!("{text:?} is no time"))
        })
    }

    #[test]
    fn steps_ramps_bursts_and_comments_are_read() {
        let text = "# a ramp\n\n  10s 100..5000/s # up\n0.8s\t100\n0.2s 5000\nrepeat 20\n1s 0\n";
        let schedule = read(text).unwrap();
        let of = |seconds, from, to| ScheduleStep::new(Duration::from_secs_f64(seconds), from, to).unwrap();
        let mut steps = vec![of(10.0, 100.0, 5000.0)];
        steps.extend([of(0.8, 100.0, 100.0), of(0.2, 5000.0, 5000.0)]);
        let mut all: Vec<ScheduleStep> = std::iter::repeat_n(steps, 20).flatten().collect();
        all.push(of(1.0, 0.0, 0.0));
        assert_eq!(schedule, Schedule::new("a.txt".into(), all).unwrap());
    }

    #[test]
    fn only_the_lines_since_the_last_repeat_are_repeated() {
        let schedule = read("1s 10\nrepeat 1\n1s 20\nrepeat 3\n").unwrap();
        assert_eq!(schedule.length(), Duration::from_secs(4));
        assert_eq!(schedule.mean_per_s(schedule.length()), 17.5);
    }

    #[test]
    fn what_is_wrong_is_named_with_its_line() {
        let cases = [
            ("", "a.txt: no request is ever due"),
            ("1s 0\n", "a.txt: no request is ever due"),
            (
                "1s 5\nfast\n",
                "a.txt:2: \"fast\" is not a step: write DURATION RATE",
            ),
            ("# a\n\nsoon 5", "a.txt:3: \"soon\" is no time"),
            ("1s five", "a.txt:1: \"five\" is not a rate"),
            ("1s 1..2..3", "a.txt:1: \"2..3\" is not a rate"),
            ("1s -5", "a.txt:1: \"1s -5\": a rate must be 0 to 1,000,000"),
            ("1s 1000001", "a.txt:1: \"1s 1000001\": a rate must be"),
            ("1s inf", "a.txt:1: \"1s inf\": a rate must be"),
            ("0s 5", "a.txt:1: \"0s 5\": a step must last"),
            ("repeat 3", "a.txt:1: repeat has no steps before it"),
            ("1s 5\nrepeat 0", "a.txt:2: the number of repeats is missing or 0"),
            (
                "1s 5\nrepeat 3\nrepeat 3",
                "a.txt:3: repeat has no steps before it",
            ),
            ("1s 5\nrepeat 1000001", "a.txt:2: more than 1000000 steps"),
        ];
        for (text, expected) in cases {
            let error = read(text).unwrap_err().to_string();
            assert!(error.starts_with(expected), "{text:?}: {error}");
        }
    }

    proptest! {
        #[test]
        fn any_text_is_a_schedule_or_an_error(text in "([0-9.]{1,3}s [0-9.]{1,6}\n|repeat [0-9]{1,8}\n|.*\n){0,5}") {
            if let Ok(schedule) = read(&text) {
                prop_assert!(schedule.mean_per_s(schedule.length()) > 0.0);
            }
        }
    }
}
