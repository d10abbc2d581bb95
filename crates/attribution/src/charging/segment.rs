//! Segment of a commit.

use logtrace_common::TimeRange;
use logtrace_events::Tid;

use crate::causes::cause::Cause;
use crate::timeline::frames::Frames;

/// Part of a commit, charged to one cause.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Segment {
    /// Time of the segment.
    pub window: TimeRange,
    /// Thread that worked; the commit's own thread if the time is unexplained.
    pub tid: Tid,
    /// Cause of the time.
    pub cause: Cause,
    /// Frames below the cause: the kernel's functions inside an I/O system call, the server's at a long wait, or the
    /// process that had the CPU.
    pub frames: Option<Frames>,
}
