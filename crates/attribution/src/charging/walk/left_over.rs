//! Time that the work of no thread explains: it is charged to the wait itself.

use logtrace_common::TimeRange;
use logtrace_events::Tid;

use crate::causes::{Cause, Wait, Who};
use crate::charging::Segment;
use crate::charging::cover::unexplained;
use crate::charging::walk::own_wait::OwnWait;
use crate::charging::walk::state::Walk;

impl Walk<'_> {
    /// Charges `range` of a wait to itself.
    pub(crate) fn charge_itself(&mut self, wait: OwnWait, range: TimeRange) {
        let OwnWait {
            tid, cause, frames, ..
        } = wait;
        let is_own = tid == self.committer && !cause.wait.is_lock() && !self.is_recording;
        let who = if is_own { Who::Own } else { cause.who };
        self.charge(range, tid, Cause { who, ..cause }, Some(frames));
    }

    /// Charges the part of `range` in which a thread on the path was idle to the wait itself: who waits for its client keeps
    /// nobody waiting, except for a lock.
    pub(crate) fn replace_idle(&mut self, wait: Option<OwnWait>, range: TimeRange) {
        let Some(wait) = wait else { return };
        let first = self
            .segments
            .partition_point(|segment| segment.range.end_ns <= range.start_ns);
        if !self.segments[first..].iter().any(is_idle) {
            return;
        }
        for segment in self.segments.split_off(first) {
            self.charge_again(segment, segment.range.before(range.start_ns));
            let inside = segment.range.since(range.start_ns);
            if is_idle(&segment) {
                self.charge_itself(wait, inside);
            } else {
                self.charge_again(segment, inside);
            }
        }
    }
}

/// Leaves the time unexplained in which another thread than the commit's own waited for its client: the function that waited
/// is not known, and a client is not what it waited for.
pub(crate) fn leave_idle_unexplained(committer: Tid, segments: &mut [Segment]) {
    let idle = segments.iter_mut().filter(|segment| is_idle(segment));
    for segment in idle.filter(|segment| segment.tid != committer) {
        *segment = unexplained(committer, segment.range);
    }
}

fn is_idle(segment: &Segment) -> bool {
    segment.cause.wait == Wait::Client && segment.cause.io.is_none()
}
