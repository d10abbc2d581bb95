//! Segment of a commit.

use logtrace_common::TimeRange;
use logtrace_events::Tid;

use crate::causes::cause::Cause;

/// Part of a commit, charged to one cause.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Segment {
    /// First nanosecond.
    pub start_ns: u64,
    /// Nanosecond after the last.
    pub end_ns: u64,
    /// Thread that worked; the commit's own thread if the time is unexplained.
    pub tid: Tid,
    /// Cause of the time.
    pub cause: Cause,
    /// Kernel stack at the block, for a wait inside an I/O system call.
    pub stack: Option<u32>,
}

impl Segment {
    /// Returns the time of the segment.
    pub(crate) fn window(&self) -> TimeRange {
        TimeRange::new(self.start_ns, self.end_ns)
    }
}
