//! State of a walk, and the charging of time.

use logtrace_common::TimeRange;
use logtrace_events::{Commit, Tid};

use crate::causes::Cause;
use crate::charging::Segment;
use crate::charging::walk::memory::{Activity, Memory};
use crate::timeline::Timelines;
use crate::timeline::frames::Frames;

/// Walk through the threads that a commit waited for.
pub(crate) struct Walk<'a> {
    pub(crate) timelines: &'a Timelines,
    pub(crate) memory: &'a mut Memory,
    pub(crate) committer: Tid,
    /// Time from which the memory may learn more than the commit needs: other commits that wait for the same thread may
    /// have begun earlier.
    pub(crate) wide_from_ns: u64,
    pub(crate) segments: &'a mut Vec<Segment>,
    /// Whether results go to the memory instead of the commit. Wakers are then not followed.
    pub(crate) is_recording: bool,
    /// Whether the recorded results hold for all commits until the timelines' revision changes.
    pub(crate) is_reusable: bool,
}

impl<'a> Walk<'a> {
    /// Starts the walk of `commit`, which replaces `segments`.
    pub(crate) fn new(
        commit: &Commit,
        timelines: &'a Timelines,
        memory: &'a mut Memory,
        segments: &'a mut Vec<Segment>,
    ) -> Self {
        segments.clear();
        memory.revise(timelines);
        let length_ns = commit.end_ns.saturating_sub(commit.start_ns);
        Self {
            timelines,
            memory,
            committer: commit.tid,
            wide_from_ns: commit.start_ns.saturating_sub(length_ns),
            segments,
            is_recording: false,
            is_reusable: true,
        }
    }

    /// Charges time without a record of a wait: the thread was running, unless a record was lost.
    pub(crate) fn charge_cpu(&mut self, range: TimeRange, tid: Tid, on_cpu: Cause) {
        if self.timelines.lost.meet(range) {
            // All of the range is unexplained, also if the lost records lie in a part that another commit did not
            // wait for.
            self.is_reusable = false;
            self.charge_unexplained(range);
        } else {
            self.charge(range, tid, on_cpu, None);
        }
    }

    /// Charges time that no record explains.
    pub(crate) fn charge_unexplained(&mut self, range: TimeRange) {
        self.charge(range, self.committer, Cause::UNEXPLAINED, None);
    }

    /// Charges time of a thread. Extends the segment before if it has the same cause.
    pub(crate) fn charge(&mut self, range: TimeRange, tid: Tid, cause: Cause, frames: Option<Frames>) {
        if range.is_empty() {
            return;
        }
        if self.is_recording {
            return self.memory.record(range, Activity::Charged(tid, cause, frames));
        }
        match self.segments.last_mut() {
            Some(last)
                if last.range.end_ns == range.start_ns
                    && (last.tid, last.cause, last.frames) == (tid, cause, frames) =>
            {
                last.range.end_ns = range.end_ns;
            }
            _ => self.segments.push(Segment {
                range,
                tid,
                cause,
                frames,
            }),
        }
    }

    /// Charges `range` like an earlier segment.
    pub(crate) fn charge_again(&mut self, segment: Segment, range: TimeRange) {
        self.charge(range, segment.tid, segment.cause, segment.frames);
    }
}
