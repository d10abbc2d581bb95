//! Segment of a commit.

use logtrace_common::TimeRange;
use logtrace_events::Tid;

use crate::causes::cause::Cause;

/// Part of a commit, charged to one cause.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Segment {
    /// Time of the segment.
    pub window: TimeRange,
    /// Thread that worked; the commit's own thread if the time is unexplained.
    pub tid: Tid,
    /// Cause of the time.
    pub cause: Cause,
    /// Kernel stack at the block, for a wait inside an I/O system call.
    pub stack: Option<u32>,
}
