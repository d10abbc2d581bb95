//! Value of `--rate`: a constant rate or a range of rates.

use std::str::FromStr;
use std::time::Duration;

use crate::schedule::ScheduleError;
use crate::schedule::arrivals::Arrivals;
use crate::schedule::pace::Pace;
use crate::schedule::rate::{Rate, RateError};
use crate::schedule::rate_range::RateRange;

/// Value of `--rate`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum RateArg {
    /// Constant rate.
    Constant(Rate),
    /// Rate that rises or falls over the window.
    Range(RateRange),
}

impl RateArg {
    /// Returns whether the server's capacity must be measured first.
    pub fn is_share(self) -> bool {
        match self {
            Self::Constant(rate) => matches!(rate, Rate::PercentOfCapacity(_)),
            Self::Range(range) => range.is_share(),
        }
    }

    /// Returns the pace over a window for a server with this capacity.
    pub fn pace(
        self,
        arrivals: Arrivals,
        window: Duration,
        capacity_per_s: f64,
    ) -> Result<Pace, ScheduleError> {
        Ok(match self {
            Self::Constant(rate) => Pace::Open {
                rate_per_s: rate.per_second(capacity_per_s),
                arrivals,
            },
            Self::Range(range) => Pace::Scheduled {
                schedule: range.schedule(window, capacity_per_s)?,
                arrivals,
            },
        })
    }
}

impl FromStr for RateArg {
    type Err = RateError;

    fn from_str(text: &str) -> Result<Self, RateError> {
        if text.contains("..") {
            text.parse().map(Self::Range)
        } else {
            text.parse().map(Self::Constant)
        }
    }
}
