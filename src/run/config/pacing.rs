//! Times at which the requests of a run start.

use std::time::Duration;

use logtrace_driver::{Arrivals, Pace, RateArg};

/// Times at which requests start.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Pacing {
    /// Pace that does not depend on the server.
    Known(Pace),
    /// Share of the server's capacity, which the run measures first.
    Share(RateArg, Arrivals),
}

impl Pacing {
    /// Returns the mean rate of the window in requests a second, or `None` for a closed loop and for a share of a
    /// capacity that is not known yet.
    pub(crate) fn offered_per_s(&self, window: Duration, capacity_per_s: Option<f64>) -> Option<f64> {
        match self {
            Self::Known(pace) => pace.offered_per_s(window),
            Self::Share(offer, arrivals) => {
                let pace = offer.pace(*arrivals, window, capacity_per_s?).ok()?;
                pace.offered_per_s(window)
            }
        }
    }

    /// Returns the name of the arrivals in the document.
    pub(crate) fn arrivals(&self) -> &'static str {
        match self {
            Self::Share(_, arrivals)
            | Self::Known(Pace::Open { arrivals, .. } | Pace::Scheduled { arrivals, .. }) => arrivals.into(),
            Self::Known(Pace::Replayed(_)) => "replay",
            Self::Known(Pace::Closed) => "closed",
        }
    }

    /// Returns the file or the range of rates that the rate follows, or `None` if the rate does not change.
    pub(crate) fn schedule(&self) -> Option<String> {
        match self {
            Self::Known(Pace::Scheduled { schedule, .. }) => Some(schedule.name().to_owned()),
            Self::Known(Pace::Replayed(times)) => Some(times.name().to_owned()),
            Self::Share(RateArg::Range(range), _) => Some(range.to_string()),
            Self::Share(RateArg::Constant(_), _) | Self::Known(Pace::Open { .. } | Pace::Closed) => None,
        }
    }
}
