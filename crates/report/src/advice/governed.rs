//! Time of the causes that a change is about, with the error of their share.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::RangeInclusive;

use logtrace_attribution::breakdown::{CauseCube, OverTime};
use logtrace_attribution::cause::{Cause, Who};
use logtrace_common::units;
use logtrace_statistics::series_error;

use crate::document::{CauseRow, Commits, Document};

/// Share of all commit time from which a change is about the usual commit, and below which it may be about the tail.
const USUAL: f64 = 0.05;

/// Share of the time of the slowest commits from which a change is about the tail.
const TAIL: f64 = 0.2;

/// Share of all commit time below which nobody would change anything for it.
const LEAST: f64 = 0.02;

/// Time that a change is about.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Governed {
    /// Nanoseconds in all commits.
    pub(crate) all_ns: u64,
    /// Nanoseconds in the slowest 1 %.
    slowest_ns: u64,
    /// 95 % interval of the share of all commit time, if the run was long enough.
    interval: Option<RangeInclusive<f64>>,
    /// Causes that it is about, whoever worked.
    causes: BTreeSet<Cause>,
}

impl Governed {
    /// Returns the time of the causes that `is_chosen` chooses.
    pub(super) fn of(
        document: &Document,
        over_time: Option<&OverTime>,
        is_chosen: impl Fn(Cause) -> bool,
    ) -> Self {
        let rows = document.causes.iter().filter(|row| is_chosen(row.cause));
        let rows: Vec<&CauseRow> = rows.collect();
        Self {
            all_ns: units::sum(rows.iter().map(|row| row.total)),
            slowest_ns: units::sum(rows.iter().map(|row| row.slowest)),
            causes: rows.iter().map(|row| whoever_worked(row.cause)).collect(),
            interval: over_time.and_then(|over_time| interval(&over_time.causes, is_chosen)),
        }
    }

    /// Returns a time that commits waited for others, whatever these did.
    pub(super) fn waited(ns: u64) -> Self {
        Self {
            all_ns: ns,
            slowest_ns: 0,
            interval: None,
            causes: BTreeSet::new(),
        }
    }

    /// Returns whether it is worth a change.
    pub(super) fn is_worth(&self, commits: &Commits) -> bool {
        self.share(commits) >= LEAST || self.is_of_tail(commits)
    }

    /// Returns whether it is most of all one of the slowest commits.
    pub(super) fn is_of_tail(&self, commits: &Commits) -> bool {
        let of_slowest = units::share(self.slowest_ns, commits.slowest_total);
        self.share(commits) < USUAL && of_slowest.is_some_and(|share| share >= TAIL)
    }

    /// Returns whether it is about a cause.
    pub(crate) fn is_about(&self, cause: Cause) -> bool {
        self.causes.contains(&whoever_worked(cause))
    }

    /// Returns the share of the commit time, which is `percent`, with its interval, and the time of one commit; of the tail those
    /// of the slowest commits.
    pub(crate) fn text(&self, commits: &Commits, percent: u64) -> String {
        if self.is_of_tail(commits) {
            return format!(
                "{} of the slowest 1 %, {}",
                units::whole_percent(self.slowest_ns, commits.slowest_total),
                units::mean_duration(self.slowest_ns, commits.slowest_count)
            );
        }
        let mean = units::mean_duration(self.all_ns, commits.count);
        let ends = self.interval.as_ref();
        let ends = ends.map(|interval| {
            let [low, high] = [interval.start(), interval.end()].map(|end| units::whole(100.0 * end));
            (low < high).then(|| format!(" ({low} to {high})"))
        });
        format!("{percent} %{}, {mean}", ends.flatten().unwrap_or_default())
    }

    fn share(&self, commits: &Commits) -> f64 {
        units::share(self.all_ns, commits.total).unwrap_or(0.0)
    }
}

fn whoever_worked(cause: Cause) -> Cause {
    Cause {
        who: Who::Own,
        ..cause
    }
}

/// Returns the 95 % interval of the share of the chosen causes, or `None` if the time has too few columns.
///
/// It is the error of a ratio of two sums (Cochran, Sampling Techniques, 1977, section 6.4), with the columns of time as the
/// sample: that of the mean of what each column has more than its share, in units of its mean commit time. Neighbouring
/// columns may be correlated.
fn interval(cube: &CauseCube, is_chosen: impl Fn(Cause) -> bool) -> Option<RangeInclusive<f64>> {
    let saved: Vec<bool> = cube.stacks.iter().map(|stack| is_chosen(stack.cause)).collect();
    let mut columns = BTreeMap::<u64, (f64, f64)>::new();
    for cell in &cube.cells {
        let (part, whole) = columns.entry(cell.column).or_default();
        let ns = units::real(cell.ns);
        *whole += ns;
        *part += if *saved.get(cell.stack)? { ns } else { 0.0 };
    }
    let part: f64 = columns.values().map(|(part, _)| part).sum();
    let whole: f64 = columns.values().map(|(_, whole)| whole).sum();
    let share = part / whole;
    let more: Vec<f64> = columns
        .values()
        .map(|(part, whole)| part - share * whole)
        .collect();
    let mean_ns = whole / units::real(more.len() as u64);
    let half_width = series_error(&more)?.half_width() / mean_ns;
    half_width
        .is_finite()
        .then(|| (share - half_width).max(0.0)..=(share + half_width).min(1.0))
}

#[cfg(test)]
mod tests {
    use logtrace_attribution::breakdown::{CubeCell, StackRow};
    use logtrace_attribution::cause::Wait;
    use proptest::prelude::*;

    use super::*;

    /// Returns a cube with these times of fsync and of everything else in each column.
    fn cube(columns: &[(u64, u64)]) -> CauseCube {
        let row = |wait| StackRow {
            cause: Cause::own(wait),
            frames: Vec::new(),
        };
        let cell = |column: usize, stack, ns| CubeCell {
            column: column as u64,
            band: 0,
            stack,
            ns,
            commits: 1,
        };
        let cells = columns.iter().enumerate();
        CauseCube {
            column_ns: 100_000_000,
            stacks: vec![row(Wait::DeviceFlush), row(Wait::OnCpu)],
            cells: cells
                .flat_map(|(at, &(part, rest))| [cell(at, 0, part), cell(at, 1, rest)])
                .collect(),
        }
    }

    fn is_flush(cause: Cause) -> bool {
        cause.wait == Wait::DeviceFlush
    }

    #[test]
    fn a_share_that_is_the_same_in_each_column_has_no_error() {
        let columns: Vec<(u64, u64)> = (1..40).map(|n| (n * 30, n * 70)).collect();
        let interval = interval(&cube(&columns), is_flush).unwrap();
        assert!((interval.start() - 0.3).abs() < 1e-9 && (interval.end() - 0.3).abs() < 1e-9);
    }

    #[test]
    fn too_few_columns_have_no_interval() {
        assert_eq!(interval(&cube(&[(30, 70); 19]), is_flush), None);
        assert_eq!(interval(&CauseCube::default(), is_flush), None);
    }

    proptest! {
        #[test]
        fn the_interval_has_the_share_in_it_and_lies_within_the_whole(
            columns in proptest::collection::vec((0u64..1_000_000, 1u64..1_000_000), 20..200)
        ) {
            let interval = interval(&cube(&columns), is_flush).unwrap();
            let (part, rest) = columns.iter().fold((0, 0), |sum, one| (sum.0 + one.0, sum.1 + one.1));
            let share = part as f64 / (part + rest) as f64;
            prop_assert!(interval.contains(&share));
            prop_assert!(*interval.start() >= 0.0 && *interval.end() <= 1.0);
        }
    }
}
