//! Axes of the pictures.

use std::collections::BTreeMap;

use logtrace_attribution::breakdown::HeatCells;
use logtrace_common::{latency_row, latency_row_start_ns, units};

/// Limit on columns of the pictures. A screen of 390 pixels shows a column of one commit.
const MOST_COLUMNS: u64 = 300;

/// Most labels of an axis.
const MOST_TICKS: usize = 8;

/// Distances of labels, in milliseconds.
const DISTANCES_MS: [u64; 20] = [
    100,
    200,
    500,
    1_000,
    2_000,
    5_000,
    10_000,
    20_000,
    30_000,
    60_000,
    120_000,
    300_000,
    600_000,
    1_200_000,
    3_600_000,
    7_200_000,
    21_600_000,
    43_200_000,
    86_400_000,
    604_800_000,
];

const MS_NS: u64 = 1_000_000;

/// Label of an axis.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::render) struct AxisTick {
    pub(in crate::render) text: String,
    /// Place in percent of the axis.
    pub(in crate::render) percent: f64,
}

/// Axis of time: columns of equal width.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct TimeAxis {
    pub(super) columns: u64,
    pub(super) column_ns: u64,
}

impl TimeAxis {
    /// Returns the axis of a window, and of what ended after it. Columns are at least `least_ns` wide.
    pub(super) fn of(cells: &HeatCells, least_ns: u64, window_ns: u64) -> Self {
        let mut column_ns = cells.column_ns.max(least_ns).max(1);
        let last = cells.cells.last().map_or(0, |cell| cell.column);
        let end_ns = (last + 1).saturating_mul(cells.column_ns).max(window_ns);
        while end_ns.div_ceil(column_ns) > MOST_COLUMNS {
            column_ns = column_ns.saturating_mul(2);
        }
        Self {
            columns: end_ns.div_ceil(column_ns).max(1),
            column_ns,
        }
    }

    /// Returns the column of this axis with a column of this width, if it is on the axis.
    pub(super) fn column(self, column: u64, width_ns: u64) -> Option<u64> {
        let column = column.checked_mul(width_ns)? / self.column_ns;
        (column < self.columns).then_some(column)
    }

    /// Returns numbers of durations by column of this axis and row.
    pub(super) fn counts(self, cells: &HeatCells) -> BTreeMap<(u64, u16), u64> {
        let mut counts = BTreeMap::new();
        for cell in &cells.cells {
            if let Some(column) = self.column(cell.column, cells.column_ns) {
                let count: &mut u64 = counts.entry((column, cell.row)).or_default();
                *count = count.saturating_add(cell.count);
            }
        }
        counts
    }

    /// Returns labels at round times.
    pub(super) fn ticks(self) -> Vec<AxisTick> {
        let end_ns = self.columns.saturating_mul(self.column_ns);
        let fits = |&&distance_ms: &&u64| end_ns / (distance_ms * MS_NS) <= MOST_TICKS as u64;
        let distance_ms = DISTANCES_MS
            .iter()
            .find(fits)
            .unwrap_or(&DISTANCES_MS[DISTANCES_MS.len() - 1]);
        let distance_ns = distance_ms * MS_NS;
        let times = (0..=end_ns / distance_ns).map(|number| number * distance_ns);
        times
            .take(100)
            .map(|at_ns| AxisTick {
                text: units::seconds(units::real(at_ns) / 1e9),
                percent: 100.0 * units::real(at_ns) / units::real(end_ns),
            })
            .collect()
    }
}

/// Axis of durations: rows from the shortest to the longest one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct DurationAxis {
    pub(super) first: u16,
    pub(super) last: u16,
}

impl DurationAxis {
    /// Returns the axis that has all durations, or `None` if there are none.
    pub(super) fn of(cells: &HeatCells) -> Option<Self> {
        let rows = || cells.cells.iter().map(|cell| cell.row);
        Some(Self {
            first: rows().min()?,
            last: rows().max()?,
        })
    }

    /// Returns the number of rows.
    pub(super) fn rows(self) -> u16 {
        self.last - self.first + 1
    }

    /// Returns labels at powers of ten, from the bottom; on a short axis also at twice and five times a power.
    pub(super) fn ticks(self) -> Vec<AxisTick> {
        let powers = || (0..20).map(|power| 10_u64.saturating_pow(power));
        let ticks: Vec<AxisTick> = powers()
            .flat_map(|power| [1, 2, 5].map(|times| power.saturating_mul(times)))
            .filter_map(|ns| self.tick(ns))
            .collect();
        match ticks.len() <= MOST_TICKS {
            true => ticks,
            false => powers().filter_map(|ns| self.tick(ns)).collect(),
        }
    }

    /// Returns the label of a duration, if it is on the axis.
    fn tick(self, ns: u64) -> Option<AxisTick> {
        let row = latency_row(ns);
        (self.first..=self.last).contains(&row).then(|| AxisTick {
            text: label(ns),
            percent: 100.0 * (f64::from(row - self.first) + within(ns, row)) / f64::from(self.rows()),
        })
    }
}

/// Returns the place of a duration within its row, from 0 to 1.
fn within(ns: u64, row: u16) -> f64 {
    let start_ns = latency_row_start_ns(row);
    let width_ns = latency_row_start_ns(row + 1).saturating_sub(start_ns).max(1);
    units::real(ns - start_ns) / units::real(width_ns)
}

fn label(ns: u64) -> String {
    match ns {
        0..1_000 => format!("{ns} ns"),
        1_000..1_000_000 => format!("{} us", ns / 1_000),
        1_000_000..1_000_000_000 => format!("{} ms", ns / 1_000_000),
        _ => format!("{} s", ns / 1_000_000_000),
    }
}

#[cfg(test)]
mod tests {
    use logtrace_attribution::breakdown::HeatCell;

    use super::*;

    fn heat_cells(cells: &[(u64, u16, u64)]) -> HeatCells {
        let cells = cells
            .iter()
            .map(|&(column, row, count)| HeatCell { column, row, count });
        HeatCells {
            column_ns: 100 * MS_NS,
            cells: cells.collect(),
        }
    }

    #[test]
    fn columns_are_joined_until_a_screen_shows_each() {
        let cells = heat_cells(&[(0, 5, 1), (1, 5, 2), (301, 5, 4)]);
        let times = TimeAxis::of(&cells, 0, 0);
        assert_eq!(
            times,
            TimeAxis {
                columns: 151,
                column_ns: 200 * MS_NS
            }
        );
        assert_eq!(
            TimeAxis::of(&cells, 0, 60_000 * MS_NS).columns,
            300,
            "with the end of the window"
        );
        let counts = times.counts(&cells);
        assert_eq!(counts, BTreeMap::from([((0, 5), 3), ((150, 5), 4)]));
    }

    #[test]
    fn labels_of_time_are_round_and_few() {
        let ticks = |columns, column_ns| {
            let ticks = TimeAxis { columns, column_ns }.ticks();
            ticks.into_iter().map(|tick| tick.text).collect::<Vec<_>>()
        };
        assert_eq!(
            ticks(100, 100 * MS_NS),
            ["0 s", "2 s", "4 s", "6 s", "8 s", "10 s"]
        );
        assert_eq!(ticks(3, 100 * MS_NS), ["0 s", "0.1 s", "0.2 s", "0.3 s"]);
        assert!(ticks(300, u64::MAX / 300).len() <= 100);
    }

    #[test]
    fn labels_of_durations_are_powers_of_ten_at_their_places() {
        let (first, last) = (latency_row(90_000), latency_row(20_000_000));
        let latencies = DurationAxis { first, last };
        let ticks = latencies.ticks();
        let texts = |ticks: &[AxisTick]| ticks.iter().map(|tick| tick.text.clone()).collect::<Vec<_>>();
        let all = [
            "100 us", "200 us", "500 us", "1 ms", "2 ms", "5 ms", "10 ms", "20 ms",
        ];
        assert_eq!(texts(&ticks), all);
        assert!(ticks.iter().all(|tick| (0.0..100.0).contains(&tick.percent)));
        assert!(ticks.is_sorted_by(|a, b| a.percent < b.percent));
        let longer = DurationAxis {
            last: latency_row(3_000_000_000),
            ..latencies
        };
        assert_eq!(
            texts(&longer.ticks()),
            ["100 us", "1 ms", "10 ms", "100 ms", "1 s"]
        );
    }
}
