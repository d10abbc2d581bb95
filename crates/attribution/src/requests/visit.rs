//! Visit: activity of a server thread between two waits for its client.

use logtrace_common::TimeRange;

use crate::charging::segment::Segment;

/// Time in which a thread serves its client.
#[derive(Debug)]
pub(crate) struct Visit {
    /// Time from the wake-up until the thread waits for the client again; [`u64::MAX`] while it does not.
    pub(crate) window: TimeRange,
    /// Commits of the visit, in order.
    pub(crate) commits: Vec<TimeRange>,
    /// Segments of the commits, in order, if they are stored.
    pub(crate) inside: Vec<Segment>,
    /// Segments of the time outside commits, if they are stored.
    pub(crate) outside: Vec<Segment>,
    /// Start of the known time of the thread; later than 0 after a gap.
    pub(crate) known_from_ns: u64,
}
