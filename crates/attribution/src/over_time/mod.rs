//! Commits and their causes over time, for pictures and for any part of a run.

pub(crate) mod column_sums;
mod cube;
pub(crate) mod document;
pub(crate) mod exemplars;
mod packed;
pub(crate) mod recent;
pub(crate) mod stack_row;
pub(crate) mod under_way;
pub(crate) mod waited_for;

use std::collections::BTreeMap;

use logtrace_common::{HeatMap, TimeRange};

use crate::causes::Cause;
use crate::charging::stack_index::StackIndex;
use crate::over_time::cube::Cube;
use crate::over_time::document::{HeatCells, OverTime};
use crate::over_time::exemplars::{Choices, JustExplained};
use crate::over_time::recent::{Recent, RecentTotals};
use crate::over_time::under_way::UnderWayTotals;
use crate::over_time::waited_for::WaitedForTotals;
use crate::timeline::frames::FrameNames;

/// Commits of the window by time, with their causes.
#[derive(Debug)]
pub(crate) struct TotalsOverTime {
    commits: HeatMap,
    causes: Cube,
    under_way: UnderWayTotals,
    waited_for: WaitedForTotals,
    exemplars: Choices,
    /// Commits since the last look, if somebody looks.
    recent: Option<RecentTotals>,
}

impl TotalsOverTime {
    /// Creates empty totals of a window.
    pub(crate) fn new(window: TimeRange) -> Self {
        Self {
            commits: HeatMap::new(window.start_ns),
            causes: Cube::new(window),
            under_way: UnderWayTotals::new(window),
            waited_for: WaitedForTotals::default(),
            exemplars: Choices::new(window),
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

    /// Adds a commit, with segments that sum to its duration. It is the last commit of `stacks`.
    pub(crate) fn add(&mut self, explained: JustExplained<'_>, stacks: &StackIndex) {
        let JustExplained {
            commit,
            tid,
            segments,
            timelines,
        } = explained;
        self.commits.add(commit.end_ns, commit.length_ns());
        self.causes.add(commit, stacks);
        self.under_way.add(commit, segments, stacks);
        self.waited_for.add(tid, segments, stacks, timelines);
        self.exemplars.add(explained);
        if let Some(recent) = &mut self.recent {
            recent.add(commit.length_ns(), stacks);
        }
    }

    /// Returns the commits since the last call. The first call returns none, and has those after it collected.
    pub(crate) fn take_recent(&mut self, stacks: &StackIndex) -> Recent {
        let recent = self.recent.replace(RecentTotals::default());
        recent.map(|recent| recent.total(stacks)).unwrap_or_default()
    }

    /// Returns the result, with names of the frames and the causes of the stacks. `slow_tenths` are the starts of the tenths of a second in which few
    /// commits ended.
    pub(crate) fn finish(&mut self, names: &FrameNames, causes: &[Cause], slow_tenths: &[u64]) -> OverTime {
        let chosen = self.exemplars.finish(names, &self.commits, slow_tenths);
        OverTime {
            commits: HeatCells::from(&self.commits),
            causes: self.causes.finish(names),
            slowest: chosen.slowest,
            typical: chosen.typical,
            stalls: chosen.stalls,
            requests: None,
            under_way: Some(self.under_way.finish()),
            waited_for: Some(self.waited_for.finish(causes)),
            threads: BTreeMap::new(),
        }
    }
}
