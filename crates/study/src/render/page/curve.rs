//! Throughput of a measurement over time, with its stalls.

use askama::Template;

use super::axis::{Tick, Values};
use crate::report::{Series, StudyReport};
use crate::results::figure::Unit;

#[derive(Template)]
#[template(path = "curve.svg", escape = "html")]
struct Curve {
    title: String,
    values: Vec<Tick>,
    points: String,
    stalls: Vec<StallArea>,
    seconds: usize,
}

/// Stall: places from 0 to 1.
struct StallArea {
    left: f64,
    width: f64,
    title: String,
}

/// Draws the requests of each second of a measurement, and where it stalled.
pub(super) fn curve(report: &StudyReport, series: &Series, title: String) -> Result<String, askama::Error> {
    let seconds = series.per_second.len().max(1) as f64;
    let values = Values::up_to(series.per_second.iter().copied().fold(0.0, f64::max));
    let point = |(second, value): (usize, &f64)| {
        let (x, y) = ((second as f64 + 0.5) / seconds, 1.0 - values.place(*value));
        format!("{:.1},{:.1}", 640.0 * x, 120.0 * y)
    };
    let points: Vec<String> = series.per_second.iter().enumerate().map(point).collect();
    let stalls = report
        .stalls
        .iter()
        .filter(|row| row.cell == series.cell && row.repeat == series.repeat);
    let stalls = stalls.map(|row| StallArea {
        left: (row.stall.at_ns as f64 / 1e9 / seconds).clamp(0.0, 1.0),
        width: (row.stall.length_ns as f64 / 1e9 / seconds).clamp(0.002, 1.0),
        title: crate::render::texts::stall(row),
    });
    let curve = Curve {
        title,
        values: values.ticks(Unit::PerSecond),
        points: points.join(" "),
        stalls: stalls.collect(),
        seconds: series.per_second.len(),
    };
    curve.render()
}
