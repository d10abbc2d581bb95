//! Commits in one step of the rate, with their causes.

use std::collections::BTreeMap;

use logtrace_attribution::breakdown::OverTime;
use logtrace_attribution::cause::{Cause, CauseTime, largest_first};
use logtrace_common::TimeRange;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Commits that ended in one step of the rate, to a column of `over-time.json`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct StepCommits {
    /// Number of commits.
    pub count: u64,
    /// Causes of their time, the largest first.
    pub causes: Vec<CauseTime>,
}

impl StepCommits {
    /// Returns the commits that ended in a part of the window, given in nanoseconds from its start. A column counts where its
    /// middle is.
    pub fn of(over_time: &OverTime, part: TimeRange) -> Self {
        let is_in = |column: u64, width_ns: u64| {
            let middle_ns = column.saturating_mul(width_ns).saturating_add(width_ns / 2);
            part.contains(middle_ns)
        };
        let commits = &over_time.commits;
        let cells = commits.cells.iter();
        let cells = cells.filter(|cell| is_in(cell.column, commits.column_ns));
        let count = cells.map(|cell| cell.count).sum();
        let mut sums = BTreeMap::<Cause, u64>::new();
        let cube = &over_time.causes;
        for cell in &cube.cells {
            if is_in(cell.column, cube.column_ns) {
                *sums.entry(cube.stacks[cell.stack].cause).or_default() += cell.ns;
            }
        }
        let causes = sums.into_iter().map(|(cause, total)| CauseTime { cause, total });
        let mut causes: Vec<CauseTime> = causes.collect();
        largest_first(&mut causes);
        Self { count, causes }
    }

    /// Returns the mean time of a cause in nanoseconds, or `None` without commits.
    pub(crate) fn mean_of(&self, cause: Cause) -> Option<u64> {
        let found = self.causes.iter().find(|row| row.cause == cause);
        found.map_or(0, |row| row.total).checked_div(self.count)
    }

    /// Returns the nanoseconds of all commits.
    pub(crate) fn total(&self) -> u64 {
        self.causes.iter().map(|row| row.total).sum()
    }
}

#[cfg(test)]
mod tests {
    use logtrace_attribution::breakdown::StackRow;
    use logtrace_attribution::breakdown::{CubeCell, HeatCell};
    use logtrace_attribution::cause::Wait;

    use super::*;

    #[test]
    fn each_column_counts_in_one_step() {
        let mut over_time = OverTime::default();
        over_time.commits.column_ns = 10;
        over_time.commits.cells = [0, 1, 2, 3]
            .map(|column| HeatCell {
                column,
                row: 1,
                count: 1,
            })
            .into();
        over_time.causes.column_ns = 10;
        let row = |wait| StackRow {
            cause: Cause::own(wait),
            frames: Vec::new(),
        };
        over_time.causes.stacks = vec![row(Wait::Timer), row(Wait::OnCpu)];
        let cell = |column, stack, ns| CubeCell {
            column,
            band: 0,
            stack,
            ns,
            commits: 1,
        };
        over_time.causes.cells = vec![cell(0, 0, 5), cell(1, 1, 7), cell(2, 0, 1), cell(3, 0, 2)];
        let step = |from, to| StepCommits::of(&over_time, TimeRange::new(from, to));
        let (first, second) = (step(0, 22), step(22, 40));
        assert_eq!((first.count, first.total()), (2, 12));
        assert_eq!((second.count, second.total()), (2, 3));
        assert_eq!(first.causes[0].cause.wait, Wait::OnCpu);
        assert_eq!(first.mean_of(Cause::own(Wait::Timer)), Some(2));
        assert_eq!(second.mean_of(Cause::own(Wait::OnCpu)), Some(0));
    }
}
