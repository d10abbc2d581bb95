//! The slowest commits.

use std::cmp::Reverse;
use std::mem;
use std::sync::Arc;

use logtrace_common::TimeRange;

use super::captured::Captured;

/// Number of commits that are reported.
const MOST: usize = 64;

/// The slowest commits so far, and some that were so a while ago.
#[derive(Debug, Default)]
pub(super) struct Slowest {
    commits: Vec<Arc<Captured>>,
    /// Duration below which a commit is surely none of them.
    least_ns: u64,
}

impl Slowest {
    /// Returns whether a commit may be one of them.
    pub(super) fn wants(&self, commit: TimeRange) -> bool {
        commit.length_ns() >= self.least_ns
    }

    /// Adds a commit that may be one of them.
    pub(super) fn add(&mut self, commit: Arc<Captured>) {
        self.commits.push(commit);
        if self.commits.len() >= 2 * MOST {
            self.truncate();
            self.least_ns = self.commits.last().map_or(0, |slow| slow.commit.length_ns());
        }
    }

    /// Returns them, the slowest first.
    pub(super) fn finish(&mut self) -> Vec<Arc<Captured>> {
        self.truncate();
        mem::take(&mut self.commits)
    }

    fn truncate(&mut self) {
        self.commits.sort_by_key(|slow| Reverse(slow.commit.length_ns()));
        self.commits.truncate(MOST);
    }
}
