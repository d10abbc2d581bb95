//! Times of waits, as areas on top of each other.

use std::collections::BTreeMap;
use std::fmt::Write;

use logtrace_attribution::cause::Wait;
use logtrace_common::units::real;

/// Limit on waits with an area of their own. The others are one area.
const MOST_WAITS: usize = 7;

/// Height of the drawing in its own units.
pub(super) const HEIGHT: f64 = 100.0;

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
    /// Nanoseconds of each bar by wait.
    pub(super) by_wait: BTreeMap<Wait, Vec<u64>>,
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
    pub(super) fn add(&mut self, bar: usize, wait: Wait, ns: u64) {
        let sum = &mut self
            .by_wait
            .entry(wait)
            .or_insert_with(|| vec![0; self.edges.len() - 1])[bar];
        *sum = sum.saturating_add(ns);
    }

    /// Returns the areas of the waits on top of each other, and the height of the highest bar in nanoseconds. The largest waits
    /// are at the bottom, where their changes are seen best, and the small ones are one area at the top.
    pub(super) fn areas(&self) -> (Vec<Area>, u64) {
        let mut waits: Vec<(Wait, &Vec<u64>)> =
            self.by_wait.iter().map(|(&wait, bars)| (wait, bars)).collect();
        waits.sort_by(|(_, one), (_, other)| self.area(other).total_cmp(&self.area(one)));
        let (largest, small) = waits.split_at(waits.len().min(MOST_WAITS));
        let layers = largest.iter().map(|(wait, bars)| (Some(*wait), (*bars).clone()));
        let others = small
            .iter()
            .map(|(_, bars)| *bars)
            .cloned()
            .reduce(|mut sum, bars| {
                add(&mut sum, &bars);
                sum
            });
        let layers: Vec<_> = layers.chain(others.map(|bars| (None, bars))).collect();
        let mut floor = vec![0_u64; self.edges.len() - 1];
        let edges = layers.into_iter().map(|(wait, bars)| {
            let below = floor.clone();
            add(&mut floor, &bars);
            (wait, below, floor.clone())
        });
        let edges: Vec<_> = edges.collect();
        let highest_ns = floor.iter().copied().max().unwrap_or(0).max(1);
        let areas = edges.into_iter().map(|(wait, below, above)| Area {
            wait,
            points: self.points(&below, &above, highest_ns),
        });
        (areas.collect(), highest_ns)
    }

    /// Returns how large the bars of a wait are altogether.
    fn area(&self, bars: &[u64]) -> f64 {
        let widths = self.edges.windows(2).map(|edges| edges[1] - edges[0]);
        widths.zip(bars).map(|(width, &ns)| width * real(ns)).sum()
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

fn add(to: &mut [u64], bars: &[u64]) {
    for (to, ns) in to.iter_mut().zip(bars) {
        *to = to.saturating_add(*ns);
    }
}
