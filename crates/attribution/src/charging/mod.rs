//! Attribution: segments of a commit and the cause of each segment.

pub(crate) mod cover;
pub(crate) mod explained_commit;
pub(crate) mod group_leader;
pub(crate) mod stack_index;
pub(crate) mod walk;

use logtrace_common::TimeRange;
use logtrace_events::Tid;

use crate::causes::Cause;
use crate::timeline::frames::Frames;

/// Part of a commit, charged to one cause.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Segment {
    /// Time of the segment.
    pub range: TimeRange,
    /// Thread that worked; the commit's own thread if the time is unexplained.
    pub tid: Tid,
    /// Cause of the time.
    pub cause: Cause,
    /// Frames below the cause: the kernel's functions inside an I/O system call, the server's at a long wait, or the
    /// process that had the CPU.
    pub frames: Option<Frames>,
}
