//! Groups of the exported commits, and how many were under way.

use std::collections::BTreeMap;

use logtrace_attribution::explain::ExplainedCommit;
use logtrace_common::{STALL_BUCKET_NS, TimeRange};
use logtrace_events::Tid;

use super::slices::Slice;
use super::trace_file::Note;

/// Number of tenths in a second.
const TENTHS: i64 = 10;

/// Exported commits.
#[derive(Debug, Default)]
pub(super) struct ExportedCommits {
    ranges: Vec<TimeRange>,
    /// Groups by the thread of the leader and the start of its commit.
    groups: BTreeMap<(Tid, u64), ExportedGroup>,
}

#[derive(Debug, Default)]
struct ExportedGroup {
    /// Commit of the leader, if it is exported.
    leader: Option<TimeRange>,
    /// Number of commits that it led, without its own.
    members: u64,
}

impl ExportedCommits {
    /// Adds a commit.
    pub(super) fn push(&mut self, explained: &ExplainedCommit<'_>) {
        let commit = explained.commit;
        let range = TimeRange::new(commit.start_ns, commit.end_ns);
        self.ranges.push(range);
        match explained.leader.zip(explained.leader_commit_ns) {
            Some(group) => self.groups.entry(group).or_default().members += 1,
            None => {
                let own = (commit.tid, commit.start_ns);
                self.groups.entry(own).or_default().leader = Some(range);
            }
        }
    }

    /// Returns each group as the time of its leader's commit.
    pub(super) fn groups(&self) -> Vec<Slice> {
        let led = self.groups.iter().filter(|(_, group)| group.members > 0);
        let slices = led.filter_map(|(&(tid, _), group)| {
            let commits = group.members + 1;
            Some(Slice {
                notes: vec![Note("commits", commits), Note("leader", tid.into())],
                ..Slice::new(group.leader?, format!("group of {commits}"))
            })
        });
        slices.collect()
    }

    /// Returns how many commits were under way, from each time on at which that changes.
    pub(super) fn under_way(&self) -> Vec<(u64, i64)> {
        let mut changes = BTreeMap::<u64, i64>::new();
        for range in &self.ranges {
            *changes.entry(range.start_ns).or_default() += 1;
            *changes.entry(range.end_ns).or_default() -= 1;
        }
        let mut count = 0;
        let counts = changes.into_iter().map(|(at_ns, change)| {
            count += change;
            (at_ns, count)
        });
        counts.collect()
    }

    /// Returns how many commits ended in each tenth of a second, as a rate: commits a second.
    pub(super) fn rate(&self) -> Vec<(u64, i64)> {
        let mut ended = BTreeMap::<u64, i64>::new();
        for range in &self.ranges {
            let tenth = range.end_ns / STALL_BUCKET_NS;
            *ended.entry(tenth).or_default() += TENTHS;
            // A tenth without commits after it has the rate 0.
            ended.entry(tenth + 1).or_default();
        }
        ended
            .into_iter()
            .map(|(tenth, rate)| (tenth * STALL_BUCKET_NS, rate))
            .collect()
    }
}
