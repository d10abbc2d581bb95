//! Due times of requests: rates, schedules of rates, and arrivals drawn from them.

pub(crate) mod arrivals;
pub(crate) mod pace;
pub(crate) mod rate;
pub(crate) mod rate_arg;
pub(crate) mod rate_integral;
pub(crate) mod rate_range;
pub(crate) mod replay_file;
pub(crate) mod schedule_file;

use std::sync::Arc;
use std::time::Duration;

use logtrace_common::TimeRange;
use thiserror::Error;

use crate::schedule::rate::MOST_PER_S;
use crate::util::clock::{NS_PER_S, duration_ns, per_s};

/// Time range with a constant rate, or with a rate that rises or falls evenly.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ScheduleStep {
    length_ns: u64,
    from_per_s: f64,
    to_per_s: f64,
}

/// Sequence of steps.
#[derive(Clone, Debug, PartialEq)]
pub struct Schedule {
    name: String,
    steps: Arc<[ScheduleStep]>,
    length_ns: u64,
}

/// Reason why steps are not a schedule.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ScheduleError {
    /// A rate is out of range.
    #[error("a rate must be 0 to 1,000,000")]
    Rate,
    /// A step has no length.
    #[error("a step must last at least 1 ns")]
    Length,
    /// All rates are 0.
    #[error("no request is ever due: give a step with a rate above 0")]
    NoRequests,
    /// The length does not fit in 64 bits of nanoseconds.
    #[error("the schedule is longer than 584 years")]
    TooLong,
}

impl ScheduleStep {
    /// Creates a step from one rate to another, in requests per second. Equal rates stay constant; 0 is a pause.
    pub fn new(length: Duration, from_per_s: f64, to_per_s: f64) -> Result<Self, ScheduleError> {
        let is_rate = |rate: f64| (0.0..=MOST_PER_S).contains(&rate);
        if length.is_zero() {
            Err(ScheduleError::Length)
        } else if is_rate(from_per_s) && is_rate(to_per_s) {
            Ok(Self {
                length_ns: duration_ns(length),
                from_per_s,
                to_per_s,
            })
        } else {
            Err(ScheduleError::Rate)
        }
    }

    /// Creates a step without end at a constant rate, which must be above 0.
    pub(crate) fn endless(rate_per_s: f64) -> Self {
        Self {
            length_ns: u64::MAX,
            from_per_s: rate_per_s,
            to_per_s: rate_per_s,
        }
    }

    pub(crate) fn length_ns(self) -> u64 {
        self.length_ns
    }

    /// Returns the expected number of requests in the step.
    pub(crate) fn requests(self) -> f64 {
        self.requests_until(self.length_ns)
    }

    /// Returns the expected number of requests up to `at_ns` from the start of the step: the integral of the rate.
    fn requests_until(self, at_ns: u64) -> f64 {
        let at_ns = at_ns.min(self.length_ns) as f64;
        // Exactly 1 at the end, so that a step with a whole number of requests is not rounded.
        let part = at_ns / self.length_ns as f64;
        let mean = self.from_per_s + (self.to_per_s - self.from_per_s) * part / 2.0;
        mean * at_ns / NS_PER_S as f64
    }

    /// Returns when `requests` have fallen due, from the start of the step: the inverse of the integral.
    pub(crate) fn due_ns(self, requests: f64) -> u64 {
        let from = self.from_per_s;
        let at_ns = if from == self.to_per_s {
            // One product and one quotient, each rounded once (2^-53 of its value): errors do not add up.
            requests * NS_PER_S as f64 / from
        } else if requests > 0.0 {
            let length_s = self.length_ns as f64 / NS_PER_S as f64;
            let rise = 2.0 * requests * (self.to_per_s - from) / length_s;
            // The rate at that time. Rounding must not make it negative where a fall ends at 0.
            let rate = (from * from + rise).max(0.0).sqrt();
            2.0 * requests * NS_PER_S as f64 / (from + rate)
        } else {
            0.0
        };
        (at_ns as u64).min(self.length_ns - 1)
    }
}

impl Schedule {
    /// Creates a schedule, unless all rates are 0. Reports show the name.
    pub fn new(name: String, steps: Vec<ScheduleStep>) -> Result<Self, ScheduleError> {
        let mut length_ns = 0u64;
        for step in &steps {
            let longer = length_ns.checked_add(step.length_ns);
            length_ns = longer.ok_or(ScheduleError::TooLong)?;
        }
        if steps.iter().any(|step| step.requests() > 0.0) {
            Ok(Self {
                name,
                steps: steps.into(),
                length_ns,
            })
        } else {
            Err(ScheduleError::NoRequests)
        }
    }

    /// Returns the name in reports.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the length from start to end.
    pub fn length(&self) -> Duration {
        Duration::from_nanos(self.length_ns)
    }

    /// Returns the mean rate in the first `window`, in requests per second.
    pub fn mean_per_s(&self, window: Duration) -> f64 {
        let window_ns = duration_ns(window);
        let (mut left_ns, mut requests) = (window_ns, 0.0);
        for step in self.steps.iter() {
            requests += step.requests_until(left_ns);
            left_ns = left_ns.saturating_sub(step.length_ns);
        }
        per_s(requests, window_ns)
    }

    /// Returns the highest rate of the steps in the first `window`, in requests per second.
    pub(crate) fn highest_per_s(&self, window: Duration) -> f64 {
        let steps = self.steps_in(TimeRange::new(0, duration_ns(window)));
        steps
            .iter()
            .map(|&(_, from, to)| from.max(to))
            .fold(0.0, f64::max)
    }

    /// Returns the time ranges of the steps in a window that starts at `window.start_ns`, with the rates at their starts and
    /// ends. A step that the window cuts off keeps its last rate.
    pub(crate) fn steps_in(&self, window: TimeRange) -> Vec<(TimeRange, f64, f64)> {
        let mut start_ns = window.start_ns;
        let mut steps = Vec::new();
        for step in self.steps.iter() {
            let end_ns = start_ns.saturating_add(step.length_ns);
            let range = TimeRange::new(start_ns, end_ns.min(window.end_ns));
            if !range.is_empty() {
                steps.push((range, step.from_per_s, step.to_per_s));
            }
            start_ns = end_ns;
        }
        steps
    }

    pub(crate) fn steps(&self) -> Arc<[ScheduleStep]> {
        Arc::clone(&self.steps)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    fn step(seconds: u64, from: f64, to: f64) -> ScheduleStep {
        ScheduleStep::new(Duration::from_secs(seconds), from, to).unwrap()
    }

    #[test]
    fn what_is_no_schedule_is_refused() {
        let new = |steps| Schedule::new("a".into(), steps);
        assert_eq!(ScheduleStep::new(SECOND, -1.0, 1.0), Err(ScheduleError::Rate));
        assert_eq!(ScheduleStep::new(SECOND, 1.0, f64::NAN), Err(ScheduleError::Rate));
        assert_eq!(
            ScheduleStep::new(Duration::ZERO, 1.0, 1.0),
            Err(ScheduleError::Length)
        );
        assert_eq!(new(vec![]), Err(ScheduleError::NoRequests));
        assert_eq!(new(vec![step(1, 0.0, 0.0)]), Err(ScheduleError::NoRequests));
        let long = step(u64::MAX / 1_000_000_000, 1.0, 1.0);
        assert_eq!(new(vec![long, long]), Err(ScheduleError::TooLong));
    }

    #[test]
    fn steps_lie_in_the_window() {
        let schedule = Schedule::new("a".into(), vec![step(2, 100.0, 300.0), step(2, 50.0, 50.0)]).unwrap();
        let range = |start: u64, end: u64| TimeRange::new(start * 1_000_000_000, end * 1_000_000_000);
        let first = (range(5, 7), 100.0, 300.0);
        assert_eq!(schedule.steps_in(range(5, 8)), [first, (range(7, 8), 50.0, 50.0)]);
        assert_eq!(schedule.steps_in(range(5, 7)), [first]);
        assert_eq!(
            schedule.steps_in(range(5, 20)),
            [first, (range(7, 9), 50.0, 50.0)]
        );
    }

    #[test]
    fn the_mean_is_of_the_window() {
        let schedule = Schedule::new("a".into(), vec![step(2, 100.0, 300.0), step(2, 0.0, 0.0)]).unwrap();
        assert_eq!(schedule.length(), 4 * SECOND);
        assert_eq!(schedule.mean_per_s(4 * SECOND), 100.0);
        assert_eq!(schedule.mean_per_s(2 * SECOND), 200.0);
        assert_eq!(schedule.mean_per_s(SECOND), 150.0);
        assert_eq!(schedule.mean_per_s(Duration::ZERO), 0.0);
    }
}
