//! Walk through a commit: every nanosecond is charged to one cause.
//!
//! The walk goes through the commit's own thread from start to end. If that thread was blocked until another thread of
//! the server woke it, the walk looks up the same time in the waker's timeline, and so on: a follower's wait becomes its
//! leader's fsync, a lock wait becomes the holder's work. The thread at which the walk ends decides the cause, so causes
//! never overlap and always add up.
//!
//! Some rules replace the waker. If the waker arrived only during the wait, the thread that it had queued behind takes its
//! place until then (`late_waker`). If the server states the leader of a thread in a group of commits, the leader takes
//! the waker's place (`group_leader`). And who looks again and again for what MySQL's log threads do waits for their calls
//! (`log_threads`). And where the waker's time explains nothing, the wait is its own reason (`own_wait`).

mod file_calls;
mod follow;
mod late_waker;
mod left_over;
mod log_threads;
pub(crate) mod memory;
pub(crate) mod own_wait;
mod path;
mod state;

use logtrace_common::TimeRange;
use logtrace_events::{AsyncCommit, Commit, Tid};

use crate::causes::wakeup::Waker;
use crate::charging::Segment;
use crate::charging::group_leader::name_previous_groups;
use crate::charging::walk::left_over::leave_idle_unexplained;
use crate::charging::walk::memory::Memory;
use crate::charging::walk::path::{MAX_STATEMENTS, WalkPath};
use crate::charging::walk::state::Walk;
use crate::timeline::Timelines;

/// Replaces `segments` by those of `commit`: in order, not empty, without gap or overlap, from its start to its end.
///
/// The commit and all records before it must have been pushed to `timelines`, to which `memory` belongs. The caller owns
/// the buffer, so that explaining allocates no memory once the buffer has grown.
pub fn explain(commit: &Commit, timelines: &Timelines, memory: &mut Memory, segments: &mut Vec<Segment>) {
    let statements = if timelines.groups.are_stated() {
        MAX_STATEMENTS
    } else {
        0
    };
    walk(statements, commit, timelines, memory, segments);
    name_previous_groups(commit, timelines, segments);
}

/// Explains `commit` by wake-ups and at most `statements` of the server's statements on a path; by wake-ups alone if 0.
pub(crate) fn walk(
    statements: u32,
    commit: &Commit,
    timelines: &Timelines,
    memory: &mut Memory,
    segments: &mut Vec<Segment>,
) {
    let range = TimeRange::new(commit.start_ns, commit.end_ns);
    let path = WalkPath { depth: 0, statements };
    Walk::new(commit, timelines, memory, segments).follow(commit.tid, None, range, path);
    leave_idle_unexplained(commit.tid, segments);
}

/// No thread of a server: the idle task.
const NOBODY: Tid = 0;

/// Does the same for a commit that ended after its function had returned. From then on its thread served others, and the commit
/// waited for the thread that ended it.
pub(crate) fn explain_async(
    ended: &AsyncCommit,
    timelines: &Timelines,
    memory: &mut Memory,
    segments: &mut Vec<Segment>,
) {
    let commit = &ended.commit;
    let range = TimeRange::new(commit.start_ns, commit.end_ns);
    let waker = Waker {
        tid: ended.waker,
        at_ns: commit.end_ns,
        commit_ns: ended.waker_commit_ns,
    };
    let path = WalkPath::default();
    let mut walk = Walk::new(commit, timelines, memory, segments);
    walk.follow(commit.tid, None, range.before(ended.returned_ns), path);
    // Whatever its thread does later is no longer its own work.
    walk.committer = NOBODY;
    walk.wait_for((waker, None), range.since(ended.returned_ns), path.extended());
    leave_idle_unexplained(commit.tid, segments);
    for segment in segments.iter_mut().filter(|segment| segment.tid == NOBODY) {
        segment.tid = commit.tid;
    }
}
