//! What to drive.

use std::num::NonZeroUsize;
use std::time::Duration;

use crate::arrivals::Arrivals;
use crate::dataset::Dataset;
use crate::random::Stream;
use crate::source::Source;
use crate::target::Target;
use crate::workloads::Requests;

/// One drive: warm-up, then the measured window.
#[derive(Clone, Debug)]
pub struct DriveConfig {
    /// The server.
    pub target: Target,
    /// What requests are.
    pub requests: Requests,
    /// The tables, and the seed of arrivals and values.
    pub dataset: Dataset,
    /// Connections, each with one request at a time.
    pub connections: NonZeroUsize,
    /// When requests start.
    pub pace: Pace,
    /// Time at the same pace before the window; nothing of it is recorded.
    pub warmup: Duration,
    /// Length of the window.
    pub duration: Duration,
    /// Time after the window for requests that were due in it, and after the warm-up for those that run then.
    pub grace: Duration,
}

/// The grace that suits a server which keeps up.
pub const DEFAULT_GRACE: Duration = Duration::from_secs(5);

/// When requests start.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Pace {
    /// Open loop: at times of their own. A server that is too slow makes a backlog, never a lower rate.
    Open {
        /// Requests due per second, above 0.
        rate_per_s: f64,
        /// How they are spread.
        arrivals: Arrivals,
    },
    /// Closed loop: each connection sends the next request as soon as it has the answer to the last.
    Closed,
}

impl Pace {
    /// The rate that is asked for; a closed loop asks for none.
    pub fn offered_per_s(self) -> Option<f64> {
        match self {
            Self::Open { rate_per_s, .. } => Some(rate_per_s),
            Self::Closed => None,
        }
    }

    /// The requests from `start_ns` until before `end_ns`.
    pub(crate) fn source(self, span: Span, values: Stream, seed: u64) -> Source {
        let (start_ns, end_ns, base) = (span.start_ns, span.end_ns, values.base(seed));
        match self {
            Self::Open { rate_per_s, arrivals } => {
                Source::open(arrivals.offsets_ns(rate_per_s, seed), start_ns, end_ns, base)
            }
            Self::Closed => Source::closed(start_ns, end_ns, base),
        }
    }
}

/// A stretch of time, in nanoseconds of `CLOCK_MONOTONIC`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Span {
    /// Its first instant.
    pub start_ns: u64,
    /// The first instant after it.
    pub end_ns: u64,
}

impl Span {
    /// Its length.
    pub fn seconds(self) -> f64 {
        self.end_ns.saturating_sub(self.start_ns) as f64 / 1e9
    }
}
