//! Position of a walk.

use logtrace_events::Tid;

use crate::causes::Who;

/// Limit on wake-ups that are followed back from a commit. Time beyond it is unexplained.
///
/// A path from a follower over its leader and the leader of the group before to the redo log's threads has four
/// wake-ups. But members of a group also wake each other one by one, through the lock that all need after their leader
/// has woken them, so that a chain gets as long as the group: with 64 connections and a limit of 8, an eighth of the
/// commit time of MySQL 9.7 was unexplained; with a limit of 64, none.
pub(crate) const MAX_DEPTH: u32 = 256;

/// Limit on the server's statements that are followed on one path; after it, wake-ups decide. Each group in front takes
/// one or two statements. Statements and wake-ups may form a circle if the group of a waker is unknown.
pub(crate) const MAX_STATEMENTS: u32 = 16;

/// Path from the commit to the current thread.
#[derive(Clone, Copy, Default)]
pub(crate) struct WalkPath {
    /// Number of wake-ups on the path.
    pub(crate) depth: u32,
    /// Number of the server's statements that may still be followed.
    pub(crate) statements: u32,
}

/// Thread that the walk is in.
#[derive(Clone, Copy)]
pub(crate) struct Worker {
    /// The thread.
    pub(crate) tid: Tid,
    /// Role of the thread for the commit.
    pub(crate) who: Who,
    /// Path to it.
    pub(crate) path: WalkPath,
}

impl WalkPath {
    /// Returns the path with one more wake-up.
    pub(crate) fn extended(self) -> Self {
        Self {
            depth: self.depth + 1,
            ..self
        }
    }

    /// Returns whether the path is longer than the limit.
    pub(crate) fn is_too_long(self) -> bool {
        self.depth > MAX_DEPTH
    }
}
