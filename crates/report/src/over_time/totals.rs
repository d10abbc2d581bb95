//! Totals over time while a run goes on.

use logtrace_common::{HeatMap, TimeRange};
use logtrace_events::Tid;

use crate::attribution::segment::Segment;
use crate::attribution::stack_index::StackIndex;
use crate::over_time::cube::Cube;
use crate::over_time::document::{HeatCells, OverTime};
use crate::over_time::recent::Recent;
use crate::over_time::slowest::Slowest;
use crate::timeline::frames::FrameNames;

/// Commits of the window by time, with their causes.
#[derive(Debug)]
pub(crate) struct TotalsOverTime {
    commits: HeatMap,
    causes: Cube,
    slowest: Slowest,
    /// Commits since the last look, if somebody looks.
    recent: Option<Recent>,
}

impl TotalsOverTime {
    /// Creates empty totals of a window.
    pub(crate) fn new(window: TimeRange) -> Self {
        Self {
            commits: HeatMap::new(window.start_ns),
            causes: Cube::new(window),
            slowest: Slowest::new(window),
            recent: None,
        }
    }

    /// Begins again with another window.
    pub(crate) fn begin(&mut self, window: TimeRange) {
        let recent = self.recent.take();
        *self = Self {
            recent,
            ..Self::new(window)
        };
    }

    /// Adds a commit of a thread, with segments that sum to its duration. It is the last commit of `stacks`.
    pub(crate) fn add(&mut self, commit: TimeRange, tid: Tid, segments: &[Segment], stacks: &StackIndex) {
        self.commits.add(commit.end_ns, commit.length_ns());
        self.causes.add(commit, stacks);
        self.slowest.add(commit, tid, segments);
        if let Some(recent) = &mut self.recent {
            recent.add(commit.length_ns(), segments);
        }
    }

    /// Returns the commits since the last call. The first call returns none, and has those after it collected.
    pub(crate) fn take_recent(&mut self) -> Recent {
        self.recent.replace(Recent::default()).unwrap_or_default()
    }

    /// Returns the result, with names of the frames.
    pub(crate) fn finish(&mut self, names: &FrameNames) -> OverTime {
        OverTime {
            commits: HeatCells::from(&self.commits),
            causes: self.causes.finish(names),
            slowest: self.slowest.finish(names),
            requests: None,
        }
    }
}
