//! What statements waited for outside of their commits.
//!
//! A statement lasts from when the request woke its connection's thread until that thread waits for the client again, or
//! finds that the next request is there already: what the server writes to its slow log after the reply is part of it, as
//! it delays the next statement of that connection, and whoever waits for the log's lock.

use logtrace_common::TimeRange;
use logtrace_events::{Commit, Tid};

use crate::attribution::walk::memory::Memory;
use crate::attribution::walk::{Segment, explain};
use crate::requests::visit::Visit;
use crate::timeline::threads::Timelines;
use crate::totals::by_cause::Aggregate;

/// Explains statements, and sums up.
#[derive(Debug)]
pub(crate) struct Statements {
    window: TimeRange,
    pub(crate) aggregate: Aggregate,
    /// Of the statement that is explained, and of one part of it.
    segments: Vec<Segment>,
    part: Vec<Segment>,
}

impl Statements {
    /// None yet, of statements within `window`.
    pub(crate) fn new(window: TimeRange) -> Self {
        Self {
            window,
            aggregate: Aggregate::new(window),
            segments: Vec::new(),
            part: Vec::new(),
        }
    }

    /// Adds a statement of thread `tid` that has just ended; what it waited for outside of its commits.
    pub(crate) fn add(
        &mut self,
        tid: Tid,
        visit: &Visit,
        timelines: &Timelines,
        memory: &mut Memory,
    ) -> &[Segment] {
        let whole = visit.window;
        self.segments.clear();
        if whole.start_ns < self.window.start_ns || !self.window.contains(whole.end_ns) {
            return &[];
        }
        let mut at_ns = whole.start_ns;
        for commit in visit.commits.iter().map(|commit| commit.intersection(whole)) {
            self.explain(tid, TimeRange::new(at_ns, commit.start_ns), timelines, memory);
            at_ns = commit.end_ns.max(at_ns);
        }
        self.explain(tid, whole.since(at_ns), timelines, memory);
        let outside_ns: u64 = self
            .segments
            .iter()
            .map(|segment| segment.end_ns - segment.start_ns)
            .sum();
        // Its time outside of commits as one stretch, which the segments sum to.
        let outside = Commit {
            tid,
            start_ns: whole.end_ns - outside_ns,
            end_ns: whole.end_ns,
        };
        self.aggregate.add(&outside, &self.segments);
        &self.segments
    }

    fn explain(&mut self, tid: Tid, part: TimeRange, timelines: &Timelines, memory: &mut Memory) {
        if part.is_empty() {
            return;
        }
        let part = Commit {
            tid,
            start_ns: part.start_ns,
            end_ns: part.end_ns,
        };
        explain(&part, timelines, memory, &mut self.part);
        self.segments.append(&mut self.part);
    }
}
