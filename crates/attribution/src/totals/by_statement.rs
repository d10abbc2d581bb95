//! Totals of statements outside their commits.
//!
//! A statement begins when the request wakes its connection's thread. It ends when that thread waits for the client
//! again, or finds that the next request has already arrived. Writes to the slow log after the reply are therefore part
//! of the statement: they delay the next statement of the connection, and all threads that wait for the log's lock.

use logtrace_common::TimeRange;
use logtrace_events::{Commit, Tid};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::causes::Cause;
use crate::charging::Segment;
use crate::charging::walk::explain;
use crate::charging::walk::memory::Memory;
use crate::requests::visit::Visit;
use crate::timeline::Timelines;
use crate::totals::by_cause::Aggregate;

/// Time of statements outside their commits.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Statements {
    /// Number of statements.
    pub count: u64,
    /// Sum of their time outside commits.
    pub total: u64,
    /// Causes, the largest first. They sum to `total` exactly.
    pub causes: Vec<StatementCause>,
}

/// Total of one cause over the time of statements outside commits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct StatementCause {
    /// The cause.
    #[serde(flatten)]
    pub cause: Cause,
    /// Nanoseconds over all statements.
    pub total: u64,
    /// Number of statements that it delayed.
    pub statements: u64,
}

/// Explains statements and sums up their causes.
#[derive(Debug)]
pub(crate) struct StatementTotals {
    pub(crate) aggregate: Aggregate,
    /// Segments of the statement that is being explained.
    segments: Vec<Segment>,
    /// Segments of one part of that statement.
    part: Vec<Segment>,
}

impl StatementTotals {
    /// Creates empty totals of statements within `window`.
    pub(crate) fn new(window: TimeRange) -> Self {
        Self {
            aggregate: Aggregate::new(window),
            segments: Vec::new(),
            part: Vec::new(),
        }
    }

    /// Adds a statement of thread `tid` that has just ended, and returns its segments outside commits.
    pub(crate) fn add(
        &mut self,
        tid: Tid,
        visit: &Visit,
        timelines: &Timelines,
        memory: &mut Memory,
    ) -> &[Segment] {
        let whole = visit.range;
        self.segments.clear();
        let mut at_ns = whole.start_ns;
        for commit in visit.commits.iter().map(|commit| commit.intersection(whole)) {
            self.explain(tid, TimeRange::new(at_ns, commit.start_ns), timelines, memory);
            at_ns = commit.end_ns.max(at_ns);
        }
        self.explain(tid, whole.since(at_ns), timelines, memory);
        let lengths = self.segments.iter().map(|segment| segment.range.length_ns());
        self.aggregate.add(whole.start_ns, lengths.sum(), &self.segments);
        self.aggregate.add_functions(&self.segments, timelines);
        &self.segments
    }

    pub(crate) fn total(&self) -> Statements {
        let causes = self.aggregate.causes().into_iter();
        Statements {
            count: self.aggregate.durations.count(),
            total: self.aggregate.durations.total_ns,
            causes: causes
                .map(|row| StatementCause {
                    cause: row.cause,
                    total: row.total,
                    statements: row.commits,
                })
                .collect(),
        }
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
