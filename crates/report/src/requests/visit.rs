//! What a thread of the server did between two waits for its client.

use logtrace_common::TimeRange;
use logtrace_events::Commit;

use crate::attribution::segment::Segment;

/// A thread serves its client.
#[derive(Debug)]
pub(crate) struct Visit {
    /// From its wake-up until it waits for the client again.
    pub(crate) window: TimeRange,
    /// The commits in it, in order.
    pub(crate) commits: Vec<TimeRange>,
    /// What these waited for, in order, where it is kept.
    pub(crate) inside: Vec<Segment>,
    /// The same of the time outside of commits.
    pub(crate) outside: Vec<Segment>,
    /// What the thread did before this is not known, where the tracer had not looked.
    pub(crate) known_from_ns: u64,
}

impl Visit {
    /// One that has not ended.
    pub(crate) fn since(woken_ns: u64, known_from_ns: u64) -> Self {
        Self {
            window: TimeRange::new(woken_ns, u64::MAX),
            commits: Vec::new(),
            inside: Vec::new(),
            outside: Vec::new(),
            known_from_ns,
        }
    }

    /// Adds a commit, and what it waited for.
    pub(crate) fn push_commit(&mut self, commit: &Commit, segments: &[Segment]) {
        self.commits.push(TimeRange::new(commit.start_ns, commit.end_ns));
        self.inside.extend_from_slice(segments);
    }
}
