//! Commit with the explanation of its time.

use logtrace_common::TimeRange;
use logtrace_events::{Commit, Tid};

use crate::charging::Segment;
use crate::timeline::frames::{FrameNames, Frames};

/// Commit of the measured window with the explanation of its time.
#[derive(Debug)]
pub struct ExplainedCommit<'a> {
    /// The commit.
    pub commit: Commit,
    /// Measured window.
    pub window: TimeRange,
    /// Parts of its time, one after another.
    pub segments: &'a [Segment],
    /// Thread that led it in its group, if the server stated one.
    pub leader: Option<Tid>,
    /// Start of that thread's commit, if it was in one.
    pub leader_commit_ns: Option<u64>,
    pub(crate) names: &'a FrameNames,
}

impl ExplainedCommit<'_> {
    /// Returns the names of frames, outermost first; none for frames that are lost.
    pub fn names(&self, frames: Frames) -> Vec<String> {
        self.names.names(Some(frames))
    }
}
