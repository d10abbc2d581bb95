//! Commits from the shortest to the longest, filled by what they waited for.
//!
//! The axis has the share of commits that were shorter, by nines: 90 %, 99 %, 99.9 % are equally far from each other.
//! A bar has the commits of one band of durations, and its height is their mean.

use std::collections::BTreeMap;

use logtrace_attribution::breakdown::{OverTime, ROWS_IN_BAND};
use logtrace_common::units::{self, real};

use super::axis::AxisTick;
use super::chart_values::{ChartValues, ValueUnit};
use super::stacked::{Area, Bars};
use super::value_ticks::duration_ticks;
use crate::render::value_axis::ValueAxis;

/// Most labels of durations above 0.
const MOST_LABELS: f64 = 4.0;

/// Labels of the axis, as shares of shorter commits.
const LABELS: [(f64, &str); 8] = [
    (0.0, "0 %"),
    (0.5, "50 %"),
    (0.9, "90 %"),
    (0.99, "99 %"),
    (0.999, "99.9 %"),
    (0.999_9, "99.99 %"),
    (0.999_99, "99.999 %"),
    (0.999_999, "99.9999 %"),
];

/// The picture.
pub(in crate::render) struct Percentiles {
    /// Width of the drawing in its own units.
    pub(in crate::render) width: f64,
    pub(in crate::render) areas: Vec<Area>,
    pub(in crate::render) ticks: Vec<AxisTick>,
    /// Labels of the durations.
    pub(in crate::render) durations: Vec<AxisTick>,
    /// Mean of the longest commits.
    pub(in crate::render) highest: String,
    /// Values for the pointer.
    pub(super) values: ChartValues,
}

/// Returns the picture, or `None` without commits.
pub(super) fn percentiles(over_time: &OverTime) -> Option<Percentiles> {
    let bands = bands(over_time);
    if bands.is_empty() {
        return None;
    }
    let causes = &over_time.causes;
    let mut sums = Bars::new(edges(&bands));
    for cell in &causes.cells {
        let wait = causes.stacks[cell.stack].cause.wait;
        if let Ok(bar) = bands.binary_search_by_key(&cell.band, |&(band, _)| band) {
            sums.add(bar, wait, cell.ns);
        }
    }
    for times in sums.by_wait.values_mut() {
        for (ns, (_, commits)) in times.iter_mut().zip(&bands) {
            *ns /= commits;
        }
    }
    let width = sums.edges.last().copied().unwrap_or(1.0);
    let ends = sums.edges[1..].iter().copied().zip(names(&bands)).collect();
    let layers = sums.layers();
    let highest_ns = layers.highest_ns();
    let durations = ValueAxis::up_to(real(highest_ns), MOST_LABELS);
    Some(Percentiles {
        width,
        areas: layers.areas(durations),
        ticks: ticks(width),
        durations: duration_ticks(durations),
        highest: units::duration(highest_ns),
        values: ChartValues::of_bars(ValueUnit::Ns, ends, layers.series(|ns| ns)).with_sum("mean"),
    })
}

/// Returns the bands that have commits, with their numbers, the shortest first.
fn bands(over_time: &OverTime) -> Vec<(u16, u64)> {
    let mut bands = BTreeMap::<u16, u64>::new();
    for cell in over_time.commits.cells.iter().filter(|cell| cell.count > 0) {
        let commits = bands.entry(cell.row / ROWS_IN_BAND).or_default();
        *commits = commits.saturating_add(cell.count);
    }
    bands.into_iter().collect()
}

/// Returns which commits each band has, from the shortest ones on.
fn names(bands: &[(u16, u64)]) -> Vec<String> {
    let count = units::sum(bands.iter().map(|&(_, commits)| commits));
    let mut shorter = 0_u64;
    let names = bands.iter().map(|&(_, commits)| {
        let from = shorter;
        shorter = shorter.saturating_add(commits);
        let [from, to] = [from, shorter].map(|commits| percentile(commits, count));
        format!("{} commits, from {from} to {to} %", units::count(commits))
    });
    names.collect()
}

/// Returns a share in percent, with as many digits as it needs, at most four.
fn percentile(commits: u64, count: u64) -> String {
    let text = format!("{:.4}", 100.0 * units::share(commits, count).unwrap_or(0.0));
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// Returns the places of the bands on the axis. The longest commit ends half a commit before the infinite.
fn edges(bands: &[(u16, u64)]) -> Vec<f64> {
    let count: f64 = bands.iter().map(|&(_, commits)| real(commits)).sum();
    let mut shorter = 0.0;
    let ends = bands.iter().map(|&(_, commits)| {
        shorter += real(commits);
        nines((shorter / count).min(1.0 - 0.5 / count))
    });
    [0.0].into_iter().chain(ends).collect()
}

/// Returns how many nines a share has: 1 for 90 %, 2 for 99 %.
fn nines(share: f64) -> f64 {
    (1.0 - share).recip().log10()
}

fn ticks(width: f64) -> Vec<AxisTick> {
    let places = LABELS.into_iter().map(|(share, text)| (nines(share), text));
    let places = places.filter(|(place, _)| *place <= width);
    places
        .map(|(place, text)| AxisTick {
            text: text.to_owned(),
            percent: 100.0 * place / width,
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use logtrace_attribution::breakdown::StackRow;
    use logtrace_attribution::breakdown::{CubeCell, HeatCell};
    use logtrace_attribution::cause::{Cause, Wait};

    use super::*;

    #[test]
    fn a_band_is_as_wide_as_its_nines_and_as_high_as_its_mean() {
        let mut over_time = OverTime::default();
        let commits = [(0, 0, 60), (1, 1, 30), (0, 4, 9), (0, 9, 1)];
        over_time.commits.cells = commits
            .map(|(column, row, count)| HeatCell { column, row, count })
            .into();
        let row = |wait| StackRow {
            cause: Cause::own(wait),
            frames: Vec::new(),
        };
        over_time.causes.stacks = vec![row(Wait::Timer), row(Wait::OnCpu)];
        let cell = |band, stack, ns| CubeCell {
            column: 0,
            band,
            stack,
            ns,
            commits: 1,
        };
        over_time.causes.cells = vec![cell(0, 0, 180), cell(1, 0, 27), cell(1, 1, 18), cell(2, 0, 9)];
        let found = percentiles(&over_time).unwrap();
        assert_eq!(found.highest, "9 ns");
        let bands = bands(&over_time);
        assert_eq!(
            names(&bands)[1..],
            ["9 commits, from 90 to 99 %", "1 commits, from 99 to 100 %"]
        );
        let places: Vec<(&str, f64)> = found
            .ticks
            .iter()
            .map(|tick| (tick.text.as_str(), (tick.percent * found.width / 10.0).round()))
            .collect();
        assert_eq!(
            places,
            [("0 %", 0.0), ("50 %", 3.0), ("90 %", 10.0), ("99 %", 20.0)]
        );
        assert!((found.width - 2.301).abs() < 0.001, "{}", found.width);
        // 90 % of the commits are in the first band, with a mean of 2 ns of 10: 80 of 100 from the top.
        assert!(
            found.areas[0].points.starts_with("0,80.0 1,80.0 "),
            "{:?}",
            found.areas[0]
        );
        assert_eq!(found.areas.len(), 2);
        assert!(percentiles(&OverTime::default()).is_none());
    }
}
