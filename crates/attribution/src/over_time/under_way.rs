//! Time of commits by wait, when it passed.

use std::collections::BTreeMap;
use std::ops::AddAssign;

use logtrace_common::{MOST_COLUMNS, TimeColumns, TimeRange};
use serde::{Deserialize, Serialize};
use strum::{IntoEnumIterator, VariantNames};

use crate::causes::Wait;
use crate::charging::Segment;
use crate::charging::stack_index::StackIndex;
use crate::over_time::packed::{self, Numbers};

/// Time of commits by wait and by the column of time in which it passed, whenever the commit ended. Divided by the width of a column
/// it is the mean number of commits that were under way. Time before the window is left out.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct UnderWay {
    /// Width of a column in nanoseconds.
    pub column_ns: u64,
    /// Waits that a cell has.
    pub waits: Vec<Wait>,
    /// Cells with time, in the order of columns and waits.
    #[serde(with = "packed")]
    pub cells: Vec<UnderWayCell>,
}

/// Time of one wait in a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UnderWayCell {
    /// Column of time.
    pub column: u64,
    /// Place in `waits`.
    pub wait: usize,
    /// Nanoseconds.
    pub ns: u64,
}

/// Time of commits while a run goes on.
#[derive(Debug)]
pub(super) struct UnderWayTotals {
    start_ns: u64,
    sums: TimeColumns<(), WaitSums>,
}

/// Nanoseconds by wait: a table, because each commit adds to several.
#[derive(Clone, Copy, Debug)]
struct WaitSums([u64; Wait::VARIANTS.len()]);

impl Default for WaitSums {
    fn default() -> Self {
        Self([0; Wait::VARIANTS.len()])
    }
}

impl AddAssign for WaitSums {
    fn add_assign(&mut self, other: Self) {
        for (sum, ns) in self.0.iter_mut().zip(other.0) {
            *sum += ns;
        }
    }
}

impl UnderWayTotals {
    /// Creates empty totals of a window.
    pub(super) fn new(window: TimeRange) -> Self {
        Self {
            start_ns: window.start_ns,
            sums: TimeColumns::new(window.start_ns),
        }
    }

    /// Adds a commit with its segments. It is the last commit of `stacks`.
    pub(super) fn add(&mut self, commit: TimeRange, segments: &[Segment], stacks: &StackIndex) {
        // The columns become wide enough for all of the commit.
        let last_ns = commit.end_ns.saturating_sub(1);
        self.sums.sum_at(last_ns, ());
        if commit.start_ns >= self.column_start(last_ns) {
            let WaitSums(sums) = self.sums.sum_at(last_ns, ());
            for time in stacks.times() {
                sums[stacks.causes()[time.cause].wait as usize] += time.ns;
            }
        } else {
            for segment in segments {
                self.add_segment(segment);
            }
        }
    }

    fn add_segment(&mut self, segment: &Segment) {
        let mut rest = segment.range.since(self.start_ns);
        while !rest.is_empty() {
            let next_ns = self
                .column_start(rest.start_ns)
                .saturating_add(self.sums.width_ns());
            let ns = rest.before(next_ns).length_ns();
            self.sums.sum_at(rest.start_ns, ()).0[segment.cause.wait as usize] += ns;
            rest = rest.since(next_ns);
        }
    }

    /// Returns the start of the column of a time; a time before the window is in the first column.
    fn column_start(&self, at_ns: u64) -> u64 {
        let since_start_ns = at_ns.saturating_sub(self.start_ns);
        at_ns.max(self.start_ns) - since_start_ns % self.sums.width_ns()
    }

    /// Returns the result.
    pub(super) fn finish(&self) -> UnderWay {
        let sums = self.sums.sums().flat_map(|((column, ()), WaitSums(sums))| {
            let sums = Wait::iter().zip(sums);
            sums.map(move |(wait, ns)| ((column, wait), ns))
        });
        let sums: BTreeMap<(u64, Wait), u64> = sums.filter(|&(_, ns)| ns > 0).collect();
        let mut waits: Vec<Wait> = sums.keys().map(|&(_, wait)| wait).collect();
        waits.sort_unstable();
        waits.dedup();
        let cells = sums.into_iter().filter_map(|((column, wait), ns)| {
            let wait = waits.binary_search(&wait).ok()?;
            Some(UnderWayCell { column, wait, ns })
        });
        let cells = cells.collect();
        UnderWay {
            column_ns: self.sums.width_ns(),
            waits,
            cells,
        }
    }
}

impl Numbers<3> for UnderWayCell {
    fn numbers(&self) -> [u64; 3] {
        [self.column, self.wait as u64, self.ns]
    }

    fn of([column, wait, ns]: [u64; 3]) -> Option<Self> {
        (column < MOST_COLUMNS).then_some(())?;
        let wait = wait.try_into().ok()?;
        Some(Self { column, wait, ns })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::causes::Cause;

    const TENTH_NS: u64 = 100_000_000;
    const START_NS: u64 = 3 * TENTH_NS + 77;

    fn segment(start_ns: u64, end_ns: u64, wait: Wait) -> Segment {
        Segment {
            range: TimeRange::new(start_ns, end_ns),
            tid: 1,
            cause: Cause::own(wait),
            frames: None,
        }
    }

    /// Returns the totals of commits from and to times after the start of the window; each waits in its first half, and then runs.
    fn totals(commits: &[(i64, i64)]) -> UnderWay {
        let mut totals = UnderWayTotals::new(TimeRange::new(START_NS, START_NS + 10 * TENTH_NS));
        let mut stacks = StackIndex::default();
        for &(from, to) in commits {
            let [from, to] = [from, to].map(|at| START_NS.saturating_add_signed(at));
            let middle = from.midpoint(to);
            let segments = [
                segment(from, middle, Wait::Timer),
                segment(middle, to, Wait::OnCpu),
            ];
            stacks.sum(&segments);
            totals.add(TimeRange::new(from, to), &segments, &stacks);
        }
        totals.finish()
    }

    fn rows(under_way: &UnderWay) -> Vec<(u64, Wait, u64)> {
        let cells = under_way.cells.iter();
        cells
            .map(|cell| (cell.column, under_way.waits[cell.wait], cell.ns))
            .collect()
    }

    #[test]
    fn time_is_in_the_columns_in_which_it_passed() {
        let tenth = i64::try_from(TENTH_NS).unwrap();
        let found = totals(&[(-tenth, 2 * tenth + 10), (3 * tenth, 3 * tenth + 20)]);
        let expected = [
            (0, Wait::OnCpu, TENTH_NS / 2 - 5),
            (0, Wait::Timer, TENTH_NS / 2 + 5),
            (1, Wait::OnCpu, TENTH_NS),
            (2, Wait::OnCpu, 10),
            (3, Wait::OnCpu, 10),
            (3, Wait::Timer, 10),
        ];
        assert_eq!(rows(&found), expected);
        let text = serde_json::to_string(&found).unwrap();
        assert_eq!(serde_json::from_str::<UnderWay>(&text).unwrap(), found);
    }

    proptest! {
        #[test]
        fn all_time_within_the_window_counts_once(
            commits in proptest::collection::vec((-5_000_000_000_i64..200_000_000_000, 1..9_000_000_000_i64), 1..30),
        ) {
            let commits: Vec<(i64, i64)> = commits.into_iter().map(|(from, length)| (from, from + length)).collect();
            let found = totals(&commits);
            let sum: u64 = found.cells.iter().map(|cell| cell.ns).sum();
            let inside = commits.iter().map(|&(from, to)| u64::try_from(to.max(0) - from.max(0)).unwrap());
            prop_assert_eq!(sum, inside.sum::<u64>());
            prop_assert!(found.cells.iter().all(|cell| cell.column < MOST_COLUMNS));
            let most = commits.len() as u64 * found.column_ns;
            let mut columns = BTreeMap::<u64, u64>::new();
            for cell in &found.cells {
                *columns.entry(cell.column).or_default() += cell.ns;
            }
            prop_assert!(columns.values().all(|&ns| ns <= most));
        }
    }
}
