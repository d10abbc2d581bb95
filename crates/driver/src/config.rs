//! What to drive.

use std::num::NonZeroUsize;
use std::time::Duration;

use crate::client::session_variable::SessionVariable;
use crate::client::target::Target;
use crate::engine::request_source::Source;
use crate::engine::share::Share;
use crate::schedule::arrivals::{Arrivals, Offsets};
use crate::schedule::rate_schedule::Schedule;
use crate::schedule::replay_file::ArrivalTimes;
use crate::util::random::Stream;
use crate::workloads::dataset::Dataset;
use crate::workloads::options::Requests;

/// One drive: warm-up, then the measured window.
#[derive(Clone, Debug)]
pub struct DriveConfig {
    /// The server.
    pub target: Target,
    /// Variables that each connection sets when it is made.
    pub session: Vec<SessionVariable>,
    /// What requests are.
    pub requests: Requests,
    /// The tables, and the seed of arrivals and values.
    pub dataset: Dataset,
    /// Connections, each with one request at a time.
    pub connections: NonZeroUsize,
    /// When requests start.
    pub pace: Pace,
    /// Time at the same pace before the window, along a schedule from its start too; nothing of it is recorded.
    pub warmup: Duration,
    /// Length of the window.
    pub duration: Duration,
    /// Time after the window for requests that were due in it, and after the warm-up for those that run then.
    pub grace: Duration,
    /// Whether the last microseconds before a due time are waited for on the CPU, where there is one to spare.
    pub spin: bool,
    /// How long a lost connection is tried to be made again while the server refuses it, with pauses that get longer.
    /// Its request has failed, and those that fall due meanwhile wait. Zero where a server that ends does not come back.
    pub reconnect_for: Duration,
    /// How long a request may take from when it is sent; then it has failed, and its connection is given up and made
    /// again, as nobody knows when the server will have done with it. `None`: as long as it takes.
    pub deadline: Option<Duration>,
}

/// The grace that suits a server which keeps up.
pub const DEFAULT_GRACE: Duration = Duration::from_secs(5);

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

    /// The requests from `start_ns` until before `end_ns`.
    pub(crate) fn source(&self, span: Span, values: Stream, seed: u64, share: Share) -> Source {
        let (start_ns, end_ns, base) = (span.start_ns, span.end_ns, values.base(seed));
        match self.offsets_ns(seed) {
            Some(offsets) => Source::open(offsets, start_ns, end_ns, base),
            None => Source::closed(start_ns, end_ns, base, share),
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
    /// From its first instant to its end.
    pub fn length(self) -> Duration {
        Duration::from_nanos(self.end_ns.saturating_sub(self.start_ns))
    }
}
