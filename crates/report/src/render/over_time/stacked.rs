//! Time of commits by wait, as areas on top of each other.

use std::collections::BTreeMap;
use std::fmt::Write;

use super::axis::Times;
use crate::causes::wait::Wait;
use crate::over_time::document::CauseCube;
use crate::units::real;

/// Limit on waits with an area of their own. The others are one area.
const MOST_WAITS: usize = 7;

/// Height of the drawing in its own units.
pub(super) const HEIGHT: f64 = 100.0;

/// Areas of a drawing.
pub(super) struct Areas {
    /// Areas from the bottom.
    pub(super) areas: Vec<Area>,
    /// Height of the drawing, as the mean number of commits that were under way.
    pub(super) highest: f64,
}

/// Area of one wait, or of all others.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::render) struct Area {
    pub(in crate::render) wait: Option<Wait>,
    /// Corners, as the `points` of an SVG polygon.
    pub(in crate::render) points: String,
}

/// Bars beside each other, whose parts are the times of waits.
pub(super) struct Bars {
    /// Left edges of the bars, and the right edge of the last one.
    pub(super) edges: Vec<f64>,
    /// Nanoseconds of each bar by wait; `None` has all other waits.
    pub(super) by_wait: BTreeMap<Option<Wait>, Vec<u64>>,
}

/// Returns the areas: for each column the time of the commits that ended in it, divided by its length.
pub(super) fn areas(causes: &CauseCube, times: Times) -> Areas {
    let width = usize::try_from(times.columns).unwrap_or(0);
    let largest = largest(causes);
    let mut bars = Bars::new((0..=times.columns).map(real).collect());
    for cell in &causes.cells {
        let wait = causes.stacks[cell.stack].cause.wait;
        let column = times
            .column(cell.column, causes.column_ns)
            .and_then(|column| usize::try_from(column).ok());
        if let Some(column) = column.filter(|&column| column < width) {
            bars.add(column, largest.contains(&wait).then_some(wait), cell.ns);
        }
    }
    let (areas, highest_ns) = bars.areas(&largest);
    Areas {
        areas,
        highest: real(highest_ns) / real(times.column_ns),
    }
}

impl Bars {
    /// Creates bars of no height.
    pub(super) fn new(edges: Vec<f64>) -> Self {
        Self {
            edges,
            by_wait: BTreeMap::new(),
        }
    }

    /// Adds time to a bar.
    pub(super) fn add(&mut self, bar: usize, wait: Option<Wait>, ns: u64) {
        let bars = self.edges.len() - 1;
        let sum = &mut self.by_wait.entry(wait).or_insert_with(|| vec![0; bars])[bar];
        *sum = sum.saturating_add(ns);
    }

    /// Returns the areas of the waits on top of each other, and the height of the highest bar in nanoseconds.
    pub(super) fn areas(&self, largest: &[Wait]) -> (Vec<Area>, u64) {
        let bars = self.edges.len() - 1;
        let sums = (0..bars).map(|at| {
            self.by_wait
                .values()
                .fold(0_u64, |sum, bars| sum.saturating_add(bars[at]))
        });
        let highest_ns = sums.max().unwrap_or(0).max(1);
        // The largest at the bottom, where its changes are seen best, and the others on top.
        let order = largest.iter().copied().map(Some).chain([None]);
        let mut floor = vec![0_u64; bars];
        let areas = order.filter_map(|wait| {
            let bars = self.by_wait.get(&wait)?;
            let below = floor.clone();
            for (floor, ns) in floor.iter_mut().zip(bars) {
                *floor = floor.saturating_add(*ns);
            }
            Some(Area {
                wait,
                points: self.points(&below, &floor, highest_ns),
            })
        });
        (areas.collect(), highest_ns)
    }

    /// Returns the corners of the area between two lines of steps: the upper one from the left, and the lower one back.
    fn points(&self, below: &[u64], above: &[u64], highest_ns: u64) -> String {
        let mut points = String::new();
        let mut step = |from: f64, to: f64, ns: u64| {
            let y = HEIGHT * (1.0 - real(ns) / real(highest_ns));
            let [from, to] = [from, to].map(|x| (1_000.0 * x).round() / 1_000.0);
            // Writing to a string cannot fail.
            let _ = write!(points, "{from},{y:.1} {to},{y:.1} ");
        };
        for (at, &ns) in above.iter().enumerate() {
            step(self.edges[at], self.edges[at + 1], ns);
        }
        for (at, &ns) in below.iter().enumerate().rev() {
            step(self.edges[at + 1], self.edges[at], ns);
        }
        points.truncate(points.trim_end().len());
        points
    }
}

/// Returns the waits with the most time, the largest first.
pub(super) fn largest(causes: &CauseCube) -> Vec<Wait> {
    let mut sums = BTreeMap::<Wait, u64>::new();
    for cell in &causes.cells {
        let sum = sums.entry(causes.stacks[cell.stack].cause.wait).or_default();
        *sum = sum.saturating_add(cell.ns);
    }
    let mut sums: Vec<_> = sums.into_iter().collect();
    sums.sort_by_key(|&(_, ns)| std::cmp::Reverse(ns));
    sums.into_iter().take(MOST_WAITS).map(|(wait, _)| wait).collect()
}

#[cfg(test)]
mod tests {
    use crate::causes::cause::Cause;
    use crate::over_time::document::{CubeCell, StackRow};

    use super::*;

    #[test]
    fn areas_lie_on_each_other_and_the_highest_column_reaches_the_top() {
        let row = |wait| StackRow {
            cause: Cause::own(wait),
            frames: Vec::new(),
        };
        let cell = |column, stack, ns| CubeCell {
            column,
            band: 0,
            stack,
            ns,
            commits: 1,
        };
        let causes = CauseCube {
            column_ns: 10,
            stacks: vec![row(Wait::Timer), row(Wait::OnCpu)],
            cells: vec![cell(0, 0, 30), cell(0, 1, 10), cell(1, 0, 20)],
        };
        let times = Times {
            columns: 2,
            column_ns: 10,
        };
        let Areas { areas, highest } = areas(&causes, times);
        assert!((highest - 4.0).abs() < 1e-9);
        let area = |wait, points: &str| Area {
            wait: Some(wait),
            points: points.to_owned(),
        };
        assert_eq!(
            areas,
            [
                area(
                    Wait::Timer,
                    "0,25.0 1,25.0 1,50.0 2,50.0 2,100.0 1,100.0 1,100.0 0,100.0"
                ),
                area(
                    Wait::OnCpu,
                    "0,0.0 1,0.0 1,50.0 2,50.0 2,50.0 1,50.0 1,25.0 0,25.0"
                ),
            ]
        );
    }
}
