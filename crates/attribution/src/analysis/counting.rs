//! Commits: each is explained, and added to all totals.

use logtrace_common::TimeRange;
use logtrace_events::Commit;

use super::{Analysis, believable};
use crate::charging::cover::{covers, unexplained};
use crate::charging::group_leader::differing_ns;
use crate::charging::walk::{explain, walk};
use crate::over_time::exemplars::JustExplained;
use crate::timeline::Unmatched;
use crate::totals::trace_gaps::GapTotals;

/// Returns whether a commit or statement counts: it began in the window, or was under way when the window began, and was traced
/// from its beginning. What a stall holds over either end of the window is not missing.
pub(super) fn is_counted(range: TimeRange, window: TimeRange, gaps: &GapTotals) -> bool {
    range.start_ns < window.end_ns && range.end_ns >= window.start_ns && range.start_ns >= gaps.seen_from_ns
}

impl Analysis {
    /// Returns whether a commit or statement counts.
    pub(super) fn counts_commit(&self, range: TimeRange) -> bool {
        is_counted(range, self.window, &self.gaps)
    }

    pub(super) fn push_commit(&mut self, commit: &Commit) -> Result<(), Unmatched> {
        let whole = TimeRange::new(commit.start_ns, commit.end_ns);
        believable(whole)?;
        self.timelines.push_commit(commit)?;
        let counts = self.counts_commit(whole);
        let last_ns = commit.end_ns.saturating_sub(1);
        let place = self.timelines.groups.at(commit.tid, last_ns);
        self.groups.end(commit, place, counts);
        self.segments.clear();
        self.is_counted = counts;
        if counts {
            explain(commit, &self.timelines, &mut self.memory, &mut self.segments);
            self.count(commit, whole);
        }
        let request_ns = self.timelines.request_ns(commit.tid);
        self.holders.end(commit.tid, whole, request_ns, counts);
        let numbered = self.aggregate.stacks.numbered(&self.segments);
        self.responses.push_commit(commit, numbered);
        if counts {
            if self.statements.is_some() {
                // Below full detail there are no samples to look for.
                self.aggregate.add_functions(&self.segments, &self.timelines);
            }
            if place.is_some_and(|place| place.leader.is_some()) {
                let differing_ns = self.differing_ns(commit);
                self.groups.add_led(differing_ns);
            }
        }
        Ok(())
    }

    /// Returns the time of a commit that wake-ups alone charge to other threads; 0 below full detail, because the second
    /// walk costs as much as the first.
    fn differing_ns(&mut self, commit: &Commit) -> u64 {
        if self.statements.is_none() {
            return 0;
        }
        walk(0, commit, &self.timelines, &mut self.memory, &mut self.by_wakers);
        differing_ns(&self.segments, &self.by_wakers)
    }

    /// Adds a commit that has just been explained to the totals.
    pub(super) fn count(&mut self, commit: &Commit, whole: TimeRange) {
        if !covers(&self.segments, whole) {
            self.invariant_violations += 1;
            self.segments = vec![unexplained(commit.tid, whole)];
        }
        let (aggregate, segments) = (&mut self.aggregate, &self.segments);
        aggregate.add(commit.start_ns, whole.length_ns(), segments);
        if self.responses.is_expected {
            self.other_clients.push_commit(commit.tid, whole.length_ns());
        }
        self.tenths.add(commit, segments, &aggregate.stacks);
        let explained = JustExplained {
            commit: whole,
            tid: commit.tid,
            segments,
            timelines: &self.timelines,
        };
        self.over_time.add(explained, &aggregate.stacks);
        self.holders
            .push_waits(commit.tid, &self.segments, &self.aggregate.stacks);
    }
}
