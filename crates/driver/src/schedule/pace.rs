//! Pace of a drive: open loop at due times, or closed loop.

use std::time::Duration;

use logtrace_common::TimeRange;

use crate::schedule::Schedule;
use crate::schedule::arrivals::{Arrivals, Offsets};
use crate::schedule::replay_file::ArrivalTimes;

/// Maximum number of steps that have results of their own: each takes some 100 KiB.
const MOST_STEPS: usize = 500;

/// Rule for the times when requests are sent.
#[derive(Clone, Debug, PartialEq)]
pub enum Pace {
    /// Open loop at a constant rate. If the server is too slow, a backlog grows; the rate stays.
    Open {
        /// Number of requests due per second, above 0.
        rate_per_s: f64,
        /// Distribution of due times.
        arrivals: Arrivals,
    },
    /// Open loop at a rate that changes. No request is due after the end of the schedule.
    Scheduled {
        /// Rate over time.
        schedule: Schedule,
        /// Distribution of due times.
        arrivals: Arrivals,
    },
    /// Open loop at recorded times.
    Replayed(ArrivalTimes),
    /// Closed loop: each connection sends its next request as soon as the last one is answered.
    Closed,
}

impl Pace {
    /// Returns the offered rate in a window, or its mean if it changes; `None` in a closed loop.
    pub fn offered_per_s(&self, window: Duration) -> Option<f64> {
        match self {
            Self::Open { rate_per_s, .. } => Some(*rate_per_s),
            Self::Scheduled { schedule, .. } => Some(schedule.mean_per_s(window)),
            Self::Replayed(times) => Some(times.mean_per_s(window)),
            Self::Closed => None,
        }
    }

    /// Returns the highest offered rate in a window; the mean if the times are recorded; `None` in a closed loop.
    pub fn highest_per_s(&self, window: Duration) -> Option<f64> {
        match self {
            Self::Scheduled { schedule, .. } => Some(schedule.highest_per_s(window)),
            pace => pace.offered_per_s(window),
        }
    }

    /// Returns the steps of a rate that changes in steps, with their rates at start and end; empty with any other pace.
    pub(crate) fn steps_in(&self, window: TimeRange) -> Vec<(TimeRange, f64, f64)> {
        let Self::Scheduled { schedule, .. } = self else {
            return Vec::new();
        };
        let steps = schedule.steps_in(window);
        if (2..=MOST_STEPS).contains(&steps.len()) {
            steps
        } else {
            Vec::new()
        }
    }

    /// Returns the due times of an open loop in nanoseconds from the start of the window; `None` in a closed loop. The
    /// same seed gives the same times.
    pub fn offsets_ns(&self, seed: u64) -> Option<Offsets> {
        match self {
            Self::Open { rate_per_s, arrivals } => Some(arrivals.offsets_ns(*rate_per_s, seed)),
            Self::Scheduled { schedule, arrivals } => Some(arrivals.scheduled_ns(schedule, seed)),
            Self::Replayed(times) => Some(Offsets::recorded(times)),
            Self::Closed => None,
        }
    }
}
