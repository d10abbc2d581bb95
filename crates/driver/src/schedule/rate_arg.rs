//! What `--rate` says.

use std::str::FromStr;
use std::time::Duration;

use crate::schedule::arrivals::Arrivals;
use crate::schedule::pace::Pace;
use crate::schedule::rate::{Rate, RateError};
use crate::schedule::rate_range::RateRange;
use crate::schedule::rate_schedule::ScheduleError;

/// A rate, or a range of rates.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Offer {
    /// The same rate all the time.
    Constant(Rate),
    /// A rate that rises or falls.
    Range(RateRange),
}

impl Offer {
    /// Whether the server's capacity has to be measured first.
    pub fn is_share(self) -> bool {
        match self {
            Self::Constant(rate) => matches!(rate, Rate::PercentOfCapacity(_)),
            Self::Range(range) => range.is_share(),
        }
    }

    /// The pace over a window, when the server does `capacity_per_s` at most.
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

impl FromStr for Offer {
    type Err = RateError;

    fn from_str(text: &str) -> Result<Self, RateError> {
        if text.contains("..") {
            text.parse().map(Self::Range)
        } else {
            text.parse().map(Self::Constant)
        }
    }
}
