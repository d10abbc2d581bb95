//! Commits that were under way, by what they waited for.

use std::collections::BTreeMap;

use logtrace_common::TimeRange;

use super::axis::Times;
use super::stacked::{Area, Bars};
use crate::causes::wait::Wait;
use crate::over_time::bands::ROWS_IN_BAND;
use crate::over_time::document::OverTime;
use crate::units::{self, real};

/// The picture.
pub(super) struct Areas {
    /// Areas from the bottom.
    pub(super) areas: Vec<Area>,
    /// Height of the drawing, as the mean number of commits that were under way.
    pub(super) highest: f64,
}

/// Returns the areas: the mean number of commits that were under way, by what they waited for. The time of a cause is spread
/// evenly over the commits that it delayed: where in them it was is not known.
pub(super) fn areas(over_time: &OverTime, times: Times) -> Areas {
    let causes = &over_time.causes;
    let mut bars = Bars::new((0..=times.columns).map(real).collect());
    for ((column, _), ended) in ended_together(over_time) {
        let end_ns = column.saturating_mul(causes.column_ns);
        let ends = TimeRange::new(end_ns, end_ns.saturating_add(causes.column_ns));
        let shares = spread(ends, ended.mean_ns(), times);
        for (wait, ns) in ended.by_wait {
            for &(bar, share) in &shares {
                // Shares are at most 1, and durations far below what a double has exactly.
                bars.add(bar, wait, (real(ns) * share).round() as u64);
            }
        }
    }
    let (areas, highest_ns) = bars.areas();
    Areas {
        areas,
        highest: real(highest_ns) / real(times.column_ns),
    }
}

/// Commits that ended in the same column and band.
#[derive(Debug, Default)]
struct Ended {
    by_wait: BTreeMap<Wait, u64>,
    count: u64,
}

impl Ended {
    /// Returns the mean duration, or 0 if there is no such commit.
    fn mean_ns(&self) -> u64 {
        let total_ns = units::sum(self.by_wait.values().copied());
        units::mean(total_ns, self.count).unwrap_or(0)
    }
}

/// Returns the commits by column of the causes and band.
fn ended_together(over_time: &OverTime) -> BTreeMap<(u64, u16), Ended> {
    let (causes, commits) = (&over_time.causes, &over_time.commits);
    let mut all = BTreeMap::<(u64, u16), Ended>::new();
    for cell in &causes.cells {
        let wait = causes.stacks[cell.stack].cause.wait;
        let ended = all.entry((cell.column, cell.band)).or_default();
        let ns = ended.by_wait.entry(wait).or_default();
        *ns = ns.saturating_add(cell.ns);
    }
    for cell in &commits.cells {
        let column = cell.column.saturating_mul(commits.column_ns) / causes.column_ns.max(1);
        if let Some(ended) = all.get_mut(&(column, cell.row / ROWS_IN_BAND)) {
            ended.count = ended.count.saturating_add(cell.count);
        }
    }
    all
}

/// Moments of a column at which its commits are taken to end.
const MOMENTS: u64 = 8;

/// Returns which share of the time of commits of this duration, which end evenly over a time, is in each column. What is before
/// the first column or after the last is left out.
fn spread(ends: TimeRange, length_ns: u64, times: Times) -> Vec<(usize, f64)> {
    let mut shares = BTreeMap::<usize, f64>::new();
    let length_ns = length_ns.max(1);
    for moment in 0..MOMENTS {
        let end_ns = ends
            .start_ns
            .saturating_add(ends.length_ns() * (2 * moment + 1) / (2 * MOMENTS));
        let commit = TimeRange::new(end_ns.saturating_sub(length_ns), end_ns);
        let last = (end_ns / times.column_ns).min(times.columns.saturating_sub(1));
        for column in commit.start_ns / times.column_ns..=last {
            let start_ns = column * times.column_ns;
            let within =
                commit.intersection(TimeRange::new(start_ns, start_ns.saturating_add(times.column_ns)));
            let share = real(within.length_ns()) / real(length_ns.saturating_mul(MOMENTS));
            if let Ok(bar) = usize::try_from(column) {
                *shares.entry(bar).or_default() += share;
            }
        }
    }
    shares.into_iter().collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::causes::cause::Cause;
    use crate::over_time::document::{CauseCube, CubeCell, HeatCell, HeatCells};
    use crate::over_time::stack_row::StackRow;

    const MS_NS: u64 = 1_000_000;

    /// Returns commits that each took 300 ms, half of it on the CPU, and ended in a column of 100 ms.
    fn over_time(column: u64, count: u64) -> OverTime {
        let row = |wait| StackRow {
            cause: Cause::own(wait),
            frames: Vec::new(),
        };
        let length_ns = 300 * MS_NS;
        let row_of_length = logtrace_common::latency_row(length_ns);
        let cell = |stack| CubeCell {
            column,
            band: row_of_length / ROWS_IN_BAND,
            stack,
            ns: count * length_ns / 2,
            commits: count,
        };
        OverTime {
            commits: HeatCells {
                column_ns: 100 * MS_NS,
                cells: vec![HeatCell {
                    column,
                    row: row_of_length,
                    count,
                }],
            },
            causes: CauseCube {
                column_ns: 100 * MS_NS,
                stacks: vec![row(Wait::Timer), row(Wait::OnCpu)],
                cells: vec![cell(0), cell(1)],
            },
            ..OverTime::default()
        }
    }

    const TIMES: Times = Times {
        columns: 10,
        column_ns: 100 * MS_NS,
    };

    #[test]
    fn no_more_commits_are_under_way_than_there_were() {
        let Areas { areas, highest } = areas(&over_time(7, 30), TIMES);
        assert!((highest - 30.0).abs() < 1e-6, "{highest}");
        let waits: Vec<_> = areas.iter().map(|area| area.wait).collect();
        assert_eq!(waits, [Some(Wait::OnCpu), Some(Wait::Timer)]);
        // From the fifth column, in which they begin, to the eighth.
        let corners = "4,75.0 5,75.0 5,50.0 6,50.0 6,50.0 7,50.0 7,75.0 8,75.0 8,100.0";
        assert!(areas[0].points.contains(corners), "{}", areas[0].points);
    }

    #[test]
    fn what_was_before_the_window_is_left_out() {
        let highest = areas(&over_time(0, 30), TIMES).highest;
        assert!((highest - 15.0).abs() < 1e-6, "{highest}");
    }

    proptest! {
        #[test]
        fn all_of_the_time_within_the_window_is_spread(from in 0..2_000_u64, width in 1..500_u64, length in 1..900_u64) {
            let ends = TimeRange::new((from + 1_000) * MS_NS, (from + 1_000 + width) * MS_NS);
            let times = Times { columns: 40, column_ns: 100 * MS_NS };
            let shares = spread(ends, length * MS_NS, times);
            let sum: f64 = shares.iter().map(|&(_, share)| share).sum();
            prop_assert!((sum - 1.0).abs() < 1e-9, "{sum}");
            let first = ends.start_ns.saturating_sub(length * MS_NS) / times.column_ns;
            let last = ends.end_ns.div_ceil(times.column_ns);
            prop_assert!(shares.iter().all(|&(bar, _)| (first..last).contains(&(bar as u64))));
        }
    }
}
