//! Commits that stalls held: the slowest two of each tenth of a second, of the tenths with the slowest ones.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::mem;
use std::sync::Arc;

use logtrace_common::{STALL_BUCKET_NS, TimeRange};

use super::captured::Captured;

/// Longest time between two slow tenths of one stall, in which a few commits get through.
const BETWEEN_NS: u64 = 3 * STALL_BUCKET_NS;

/// Commits of a stall.
const OF_STALL: usize = 2;

/// Limit on the tenths with commits.
const MOST_TENTHS: usize = 16;

/// Slowest commits of the tenths in which the slowest ones ended.
#[derive(Debug)]
pub(super) struct Stalled {
    start_ns: u64,
    /// By the number of the tenth, the slowest first.
    tenths: BTreeMap<u64, Vec<Arc<Captured>>>,
    /// Duration that a commit of another tenth must exceed.
    least_ns: u64,
}

impl Stalled {
    /// Creates an empty list for a window.
    pub(super) fn new(window: TimeRange) -> Self {
        Self {
            start_ns: window.start_ns,
            tenths: BTreeMap::new(),
            least_ns: 0,
        }
    }

    /// Returns whether a commit may be one of them.
    pub(super) fn wants(&self, commit: TimeRange) -> bool {
        let least_ns = match self.tenths.get(&self.tenth(commit)) {
            Some(commits) if commits.len() == OF_STALL => commits[OF_STALL - 1].commit.length_ns(),
            Some(_) => 0,
            None => self.least_ns,
        };
        commit.length_ns() > least_ns
    }

    /// Adds a commit that may be one of them.
    pub(super) fn add(&mut self, captured: Arc<Captured>) {
        let commits = self.tenths.entry(self.tenth(captured.commit)).or_default();
        commits.push(captured);
        commits.sort_by_key(|captured| Reverse(captured.commit.length_ns()));
        commits.truncate(OF_STALL);
        if self.tenths.len() > MOST_TENTHS {
            let longest_ns =
                |commits: &[Arc<Captured>]| commits.first().map(|first| first.commit.length_ns());
            let shortest = self.tenths.iter().min_by_key(|(_, commits)| longest_ns(commits));
            if let Some((&shortest, commits)) = shortest {
                self.least_ns = longest_ns(commits).unwrap_or(0);
                self.tenths.remove(&shortest);
            }
        }
    }

    /// Returns the two slowest commits of each stall, with its start in nanoseconds from that of the window. The slow tenths are
    /// given by their starts. The commits of a stall end in it or in the tenth after it.
    pub(super) fn finish(&mut self, slow: &[u64]) -> Vec<(Arc<Captured>, u64)> {
        let tenths = mem::take(&mut self.tenths);
        let commits = stalls(slow).flat_map(|stall| {
            let [first, after] = [stall.start_ns, stall.end_ns].map(|at_ns| at_ns / STALL_BUCKET_NS);
            let commits = tenths.range(first..=after).flat_map(|(_, commits)| commits);
            let mut commits: Vec<_> = commits.collect();
            commits.sort_by_key(|captured| Reverse(captured.commit.length_ns()));
            let chosen = commits.into_iter().take(OF_STALL).cloned();
            chosen.map(move |captured| (captured, stall.start_ns))
        });
        commits.collect()
    }

    fn tenth(&self, commit: TimeRange) -> u64 {
        commit.end_ns.saturating_sub(self.start_ns) / STALL_BUCKET_NS
    }
}

/// Returns the stalls of slow tenths, given by their starts: tenths with little time between them are one stall.
pub fn stalls(starts_ns: &[u64]) -> impl Iterator<Item = TimeRange> {
    let end_ns = |start_ns: u64| start_ns.saturating_add(STALL_BUCKET_NS);
    let stalls =
        starts_ns.chunk_by(move |&before, &after| after.saturating_sub(end_ns(before)) <= BETWEEN_NS);
    stalls.filter_map(move |stall| Some(TimeRange::new(*stall.first()?, end_ns(*stall.last()?))))
}
