//! Times of waits, as areas on top of each other.

use std::collections::BTreeMap;
use std::fmt::Write;

use logtrace_attribution::cause::Wait;
use logtrace_common::units::{real, whole};

use super::chart_values::ValueSeries;
use crate::render::value_axis::ValueAxis;
use crate::render::wait_order::order_by_kind;

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

/// Bars with few waits, in the order in which they lie on each other: `None` is all others.
pub(super) struct Layers {
    edges: Vec<f64>,
    layers: Vec<(Option<Wait>, Vec<u64>)>,
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

    /// Returns the bars with the small waits as one, which lies at the top. Below are the others, those of a kind together, the
    /// largest at the bottom, where their changes are seen best.
    pub(super) fn layers(self) -> Layers {
        let area = |bars: &Vec<u64>| whole(1_000.0 * self.area(bars));
        let mut waits: Vec<(Wait, Vec<u64>)> = self.by_wait.clone().into_iter().collect();
        waits.sort_by_key(|(_, bars)| std::cmp::Reverse(area(bars)));
        let small = waits.split_off(waits.len().min(MOST_WAITS));
        order_by_kind(&mut waits, area);
        let others = small.into_iter().map(|(_, bars)| bars).reduce(|mut sum, bars| {
            add(&mut sum, &bars);
            sum
        });
        let large = waits.into_iter().map(|(wait, bars)| (Some(wait), bars));
        Layers {
            layers: large.chain(others.map(|bars| (None, bars))).collect(),
            edges: self.edges,
        }
    }

    /// Returns how large the bars of a wait are altogether.
    fn area(&self, bars: &[u64]) -> f64 {
        let widths = self.edges.windows(2).map(|edges| edges[1] - edges[0]);
        widths.zip(bars).map(|(width, &ns)| width * real(ns)).sum()
    }
}

impl Layers {
    /// Returns the nanoseconds of the highest bar.
    pub(super) fn highest_ns(&self) -> u64 {
        let mut sum = vec![0; self.edges.len() - 1];
        for (_, bars) in &self.layers {
            add(&mut sum, bars);
        }
        sum.into_iter().max().unwrap_or(0)
    }

    /// Returns the areas on an axis of nanoseconds.
    pub(super) fn areas(&self, axis: ValueAxis) -> Vec<Area> {
        let mut floor = vec![0_u64; self.edges.len() - 1];
        let areas = self.layers.iter().map(|(wait, bars)| {
            let below = floor.clone();
            add(&mut floor, bars);
            Area {
                wait: *wait,
                points: self.points(&below, &floor, axis),
            }
        });
        areas.collect()
    }

    /// Returns the values of the waits, each nanosecond as so much.
    pub(super) fn series(&self, of_ns: impl Fn(f64) -> f64) -> Vec<ValueSeries> {
        let layers = self.layers.iter();
        layers
            .map(|(wait, bars)| ValueSeries::of_wait(*wait, bars.iter().map(|&ns| of_ns(real(ns)))))
            .collect()
    }

    /// Returns the corners of the area between two lines of steps: the upper one from the left, and the lower one back.
    fn points(&self, below: &[u64], above: &[u64], axis: ValueAxis) -> String {
        let mut points = String::new();
        let mut step = |from: f64, to: f64, ns: u64| {
            let y = HEIGHT * (1.0 - axis.place(real(ns)));
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
