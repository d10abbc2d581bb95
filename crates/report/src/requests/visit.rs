//! Visit: activity of a server thread between two waits for its client.

use logtrace_common::TimeRange;
use logtrace_events::Commit;

use crate::attribution::segment::Segment;

/// Time in which a thread serves its client.
#[derive(Debug)]
pub(crate) struct Visit {
    /// Time from the wake-up until the thread waits for the client again.
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

impl Visit {
    /// Creates a visit that has not ended.
    pub(crate) fn since(woken_ns: u64, known_from_ns: u64) -> Self {
        Self {
            window: TimeRange::new(woken_ns, u64::MAX),
            commits: Vec::new(),
            inside: Vec::new(),
            outside: Vec::new(),
            known_from_ns,
        }
    }

    /// Adds a commit and its segments.
    pub(crate) fn push_commit(&mut self, commit: &Commit, segments: &[Segment]) {
        self.commits.push(TimeRange::new(commit.start_ns, commit.end_ns));
        self.inside.extend_from_slice(segments);
    }
}
