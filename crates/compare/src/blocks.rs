//! Commits and their causes by blocks of a run: some seconds of it.

use std::collections::BTreeMap;

use logtrace_report::breakdown::OverTime;

use crate::waited::Waited;

/// Least length of a block. What happens within a second, such as a group of commits that all wait for one fsync, is one
/// event, and not as many as there are commits.
const LEAST_NS: u64 = 1_000_000_000;

/// Sums of the commits that ended in each block. All lists are of the same length.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Blocks {
    /// Length of a block in nanoseconds.
    pub(crate) length_ns: u64,
    /// Numbers of commits.
    pub(crate) commits: Vec<f64>,
    /// Nanoseconds of these commits by cause.
    pub(crate) causes: BTreeMap<Waited, Vec<f64>>,
    /// Numbers of commits by the row of their durations.
    pub(crate) rows: Vec<BTreeMap<u16, f64>>,
}

impl Blocks {
    /// Returns the blocks of a run; none if it has no commits.
    pub(crate) fn of(over_time: &OverTime) -> Self {
        let column_ns = over_time.causes.column_ns.max(over_time.commits.column_ns).max(1);
        let length_ns = column_ns * LEAST_NS.div_ceil(column_ns);
        let block = |column: u64, width_ns: u64| {
            usize::try_from(column.saturating_mul(width_ns) / length_ns).unwrap_or(usize::MAX)
        };
        let of_commits = |column| block(column, over_time.commits.column_ns);
        let Some(last) = over_time.commits.cells.last() else {
            return Self::default();
        };
        let count = of_commits(last.column) + 1;
        let mut blocks = Self {
            length_ns,
            commits: vec![0.0; count],
            causes: BTreeMap::new(),
            rows: vec![BTreeMap::new(); count],
        };
        for cell in &over_time.commits.cells {
            let (at, commits) = (of_commits(cell.column), cell.count as f64);
            blocks.commits[at] += commits;
            *blocks.rows[at].entry(cell.row).or_default() += commits;
        }
        for cell in &over_time.causes.cells {
            let cause = over_time.causes.stacks[cell.stack].cause.into();
            let sums = blocks.causes.entry(cause).or_insert_with(|| vec![0.0; count]);
            if let Some(sum) = sums.get_mut(block(cell.column, over_time.causes.column_ns)) {
                *sum += cell.ns as f64;
            }
        }
        blocks
    }

    /// Returns the numbers of commits of all blocks by the row of their durations.
    pub(crate) fn all_rows(&self) -> BTreeMap<u16, f64> {
        let mut all = BTreeMap::new();
        for (&row, &commits) in self.rows.iter().flatten() {
            *all.entry(row).or_default() += commits;
        }
        all
    }

    /// Returns the nanoseconds of all commits of each block.
    pub(crate) fn total_ns(&self) -> Vec<f64> {
        let mut totals = vec![0.0; self.commits.len()];
        for sums in self.causes.values() {
            for (total, sum) in totals.iter_mut().zip(sums) {
                *total += sum;
            }
        }
        totals
    }
}

#[cfg(test)]
mod tests {
    use logtrace_report::breakdown::{CubeCell, HeatCell, StackRow};
    use logtrace_report::cause::Cause;

    use super::*;

    #[test]
    fn columns_become_blocks_of_a_second_and_frames_of_a_cause_are_summed() {
        let mut over_time = OverTime::default();
        over_time.commits.column_ns = 100_000_000;
        over_time.commits.cells = [(0, 5, 2), (9, 6, 1), (10, 5, 4)]
            .map(|(column, row, count)| HeatCell { column, row, count })
            .into();
        over_time.causes.column_ns = 200_000_000;
        let row = |frames: &[&str]| StackRow {
            cause: Cause::UNEXPLAINED,
            frames: frames.iter().map(|&frame| frame.to_owned()).collect(),
        };
        over_time.causes.stacks = vec![row(&[]), row(&["f"])];
        over_time.causes.cells = [(0, 0, 10), (4, 1, 7), (5, 0, 20)]
            .map(|(column, stack, ns)| CubeCell {
                column,
                band: 1,
                stack,
                ns,
                commits: 1,
            })
            .into();
        let blocks = Blocks::of(&over_time);
        assert_eq!(blocks.length_ns, 1_000_000_000);
        assert_eq!(blocks.commits, [3.0, 4.0]);
        assert_eq!(blocks.causes[&Cause::UNEXPLAINED.into()], [17.0, 20.0]);
        assert_eq!(blocks.total_ns(), [17.0, 20.0]);
        assert_eq!(blocks.rows[0], BTreeMap::from([(5, 2.0), (6, 1.0)]));
        assert_eq!(Blocks::of(&OverTime::default()), Blocks::default());
    }
}
