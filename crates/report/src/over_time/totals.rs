//! Totals over time while a run goes on.

use logtrace_common::{HeatMap, TimeRange};

use crate::attribution::segment::Segment;
use crate::over_time::cube::Cube;
use crate::over_time::document::{HeatCell, HeatCells, OverTime};
use crate::timeline::frames::FrameNames;

/// Commits of the window by time, with their causes.
#[derive(Debug)]
pub(crate) struct TotalsOverTime {
    commits: HeatMap,
    causes: Cube,
}

impl TotalsOverTime {
    /// Creates empty totals of a window.
    pub(crate) fn new(window: TimeRange) -> Self {
        Self {
            commits: HeatMap::new(window.start_ns),
            causes: Cube::new(window),
        }
    }

    /// Adds a commit, with segments that sum to its duration.
    pub(crate) fn add(&mut self, commit: TimeRange, segments: &[Segment]) {
        self.commits.add(commit.end_ns, commit.length_ns());
        self.causes.add(commit, segments);
    }

    /// Returns the result, with names of the frames.
    pub(crate) fn finish(&self, names: &FrameNames) -> OverTime {
        let counts = self.commits.counts().into_iter();
        let cells = counts.map(|((column, row), count)| HeatCell { column, row, count });
        OverTime {
            commits: HeatCells {
                column_ns: self.commits.column_ns(),
                cells: cells.collect(),
            },
            causes: self.causes.finish(names),
        }
    }
}
