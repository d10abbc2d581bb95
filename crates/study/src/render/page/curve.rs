//! Throughput of a measurement over time, with its stalls.

use askama::Template;
use logtrace_report::render::Unit;

use super::axis::{Tick, value_axis, value_ticks};
use crate::report::{Series, StudyReport};
use crate::results::stalls::Stall;

#[derive(Template)]
#[template(path = "curve.svg", escape = "html")]
struct Curve {
    title: String,
    values: Vec<Tick>,
    points: String,
    stalls: Vec<StallArea>,
    seconds: usize,
}

/// Area of a stall in a drawing of a window: places from 0 to 1.
pub(super) struct StallArea {
    pub(super) left: f64,
    pub(super) width: f64,
    pub(super) title: String,
}

impl StallArea {
    /// Returns the area of a stall in a window of this length. A short stall is wide enough to be seen.
    pub(super) fn new(stall: &Stall, window_s: f64, title: String) -> Self {
        let share = |ns: u64| ns as f64 / 1e9 / window_s;
        Self {
            left: share(stall.at_ns).clamp(0.0, 1.0),
            width: share(stall.length_ns).clamp(0.002, 1.0),
            title,
        }
    }
}

/// Draws the requests of each second of a measurement, and where it stalled.
pub(super) fn curve(report: &StudyReport, series: &Series, title: String) -> Result<String, askama::Error> {
    let seconds = series.per_second.len().max(1) as f64;
    let values = value_axis(series.per_second.iter().copied().fold(0.0, f64::max));
    let point = |(second, value): (usize, &f64)| {
        let (x, y) = ((second as f64 + 0.5) / seconds, 1.0 - values.place(*value));
        format!("{:.1},{:.1}", 640.0 * x, 120.0 * y)
    };
    let points: Vec<String> = series.per_second.iter().enumerate().map(point).collect();
    let stalls = report
        .stalls
        .iter()
        .filter(|row| row.cell == series.cell && row.repeat == series.repeat);
    let stalls = stalls.map(|row| StallArea::new(&row.stall, seconds, crate::render::texts::stall(row)));
    let curve = Curve {
        title,
        values: value_ticks(values, Unit::PerSecond),
        points: points.join(" "),
        stalls: stalls.collect(),
        seconds: series.per_second.len(),
    };
    curve.render()
}
