//! Pace of a drive: open loop at due times, or closed loop.

use std::time::Duration;

use crate::schedule::arrivals::{Arrivals, Offsets};
use crate::schedule::rate_schedule::Schedule;
use crate::schedule::replay_file::ArrivalTimes;

/// When requests start.
#[derive(Clone, Debug, PartialEq)]
pub enum Pace {
    /// Open loop: at times of their own. A server that is too slow makes a backlog, never a lower rate.
    Open {
        /// Requests due per second, above 0.
        rate_per_s: f64,
        /// How they are spread.
        arrivals: Arrivals,
    },
    /// Open loop at a rate that changes; nothing is due after the end of the schedule.
    Scheduled {
        /// The rate over time.
        schedule: Schedule,
        /// How requests are spread.
        arrivals: Arrivals,
    },
    /// Open loop at times that are known.
    Replayed(ArrivalTimes),
    /// Closed loop: each connection sends the next request as soon as it has the answer to the last.
    Closed,
}

impl Pace {
    /// The rate that is asked for in a window, its mean where it changes; a closed loop asks for none.
    pub fn offered_per_s(&self, window: Duration) -> Option<f64> {
        match self {
            Self::Open { rate_per_s, .. } => Some(*rate_per_s),
            Self::Scheduled { schedule, .. } => Some(schedule.mean_per_s(window)),
            Self::Replayed(times) => Some(times.mean_per_s(window)),
            Self::Closed => None,
        }
    }

    /// The due times of an open loop, in nanoseconds from the start of its window: the same for the same seed.
    pub fn offsets_ns(&self, seed: u64) -> Option<Offsets> {
        match self {
            Self::Open { rate_per_s, arrivals } => Some(arrivals.offsets_ns(*rate_per_s, seed)),
            Self::Scheduled { schedule, arrivals } => Some(arrivals.scheduled_ns(schedule, seed)),
            Self::Replayed(times) => Some(Offsets::recorded(times)),
            Self::Closed => None,
        }
    }
}
