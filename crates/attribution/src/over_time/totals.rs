//! Totals over time while a run goes on.

use std::collections::BTreeMap;

use logtrace_common::{HeatMap, TimeRange};

use crate::charging::stack_index::StackIndex;
use crate::over_time::cube::Cube;
use crate::over_time::document::{HeatCells, OverTime};
use crate::over_time::exemplars::{Choices, Explained};
use crate::over_time::recent::Recent;
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
    recent: Option<Recent>,
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
    pub(crate) fn add(&mut self, explained: Explained<'_>, stacks: &StackIndex) {
        let Explained {
            commit,
            tid,
            segments,
            ..
        } = explained;
        self.commits.add(commit.end_ns, commit.length_ns());
        self.causes.add(commit, stacks);
        self.under_way.add(commit, segments, stacks);
        self.waited_for.add(tid, segments);
        self.exemplars.add(explained);
        if let Some(recent) = &mut self.recent {
            recent.add(commit.length_ns(), segments);
        }
    }

    /// Returns the commits since the last call. The first call returns none, and has those after it collected.
    pub(crate) fn take_recent(&mut self) -> Recent {
        self.recent.replace(Recent::default()).unwrap_or_default()
    }

    /// Returns the result, with names of the frames. `slow_tenths` are the starts of the tenths of a second in which few
    /// commits ended.
    pub(crate) fn finish(&mut self, names: &FrameNames, slow_tenths: &[u64]) -> OverTime {
        let chosen = self.exemplars.finish(names, &self.commits, slow_tenths);
        OverTime {
            commits: HeatCells::from(&self.commits),
            causes: self.causes.finish(names),
            slowest: chosen.slowest,
            typical: chosen.typical,
            stalls: chosen.stalls,
            requests: None,
            under_way: Some(self.under_way.finish()),
            waited_for: Some(self.waited_for.finish()),
            threads: BTreeMap::new(),
        }
    }
}
