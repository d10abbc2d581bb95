//! The slowest commits, each with the work that it waited for.

use std::cmp::Reverse;

use logtrace_common::TimeRange;
use logtrace_events::Tid;
use rustc_hash::FxHashMap;

use crate::attribution::segment::Segment;
use crate::over_time::document::{SlowCommit, SlowCommits, SlowPart, StackRow};
use crate::timeline::frames::FrameNames;

/// Number of commits that are reported.
const MOST: usize = 64;

/// Limit on the parts of a commit. One with more is left out: 64 of them would take megabytes.
const MOST_PARTS: usize = 1_000;

/// The slowest commits of a window so far, and some that were so a while ago.
#[derive(Debug)]
pub(super) struct Slowest {
    window: TimeRange,
    commits: Vec<Slow>,
    /// Duration below which a commit is surely none of them.
    least_ns: u64,
}

#[derive(Debug)]
struct Slow {
    commit: TimeRange,
    tid: Tid,
    segments: Vec<Segment>,
}

impl Slowest {
    /// Creates an empty list for a window.
    pub(super) fn new(window: TimeRange) -> Self {
        Self {
            window,
            commits: Vec::new(),
            least_ns: 0,
        }
    }

    /// Adds a commit, if it is slow enough.
    pub(super) fn add(&mut self, commit: TimeRange, tid: Tid, segments: &[Segment]) {
        if commit.length_ns() < self.least_ns || segments.len() > MOST_PARTS {
            return;
        }
        let segments = segments.to_vec();
        self.commits.push(Slow {
            commit,
            tid,
            segments,
        });
        if self.commits.len() >= 2 * MOST {
            self.sort();
            self.commits.truncate(MOST);
            self.least_ns = self.commits.last().map_or(0, |slow| slow.commit.length_ns());
        }
    }

    fn sort(&mut self) {
        self.commits.sort_by_key(|slow| Reverse(slow.commit.length_ns()));
    }

    /// Returns the slowest commits, the slowest first, with names of the frames.
    pub(super) fn finish(&mut self, names: &FrameNames) -> SlowCommits {
        self.sort();
        self.commits.truncate(MOST);
        let mut places = FxHashMap::default();
        let mut stacks = Vec::new();
        let mut place = |segment: &Segment| {
            *places
                .entry((segment.cause.number(), segment.frames))
                .or_insert_with(|| {
                    stacks.push(StackRow {
                        cause: segment.cause,
                        frames: names.names(segment.frames),
                    });
                    stacks.len() - 1
                })
        };
        let commits = self.commits.iter().map(|slow| SlowCommit {
            end: slow.commit.end_ns.saturating_sub(self.window.start_ns),
            ns: slow.commit.length_ns(),
            tid: slow.tid,
            parts: slow
                .segments
                .iter()
                .map(|segment| SlowPart(segment.window.length_ns(), segment.tid, place(segment)))
                .collect(),
        });
        let commits = commits.collect();
        SlowCommits { stacks, commits }
    }
}
