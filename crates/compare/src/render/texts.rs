//! Texts of the numbers of a comparison.

use logtrace_common::units;
use logtrace_report::render::Unit;
use logtrace_statistics::with_interval;

use crate::comparison::{Comparison, FigureChange};

/// Returns a figure: its name, the values of both sides, the ratio with its interval, and the verdict.
pub(super) fn figure_row(row: &FigureChange) -> Vec<String> {
    let text = |value: f64| match row.figure.is_time() {
        true => time(value),
        false => units::tenths(value),
    };
    let ratio = row.change.change.map_or_else(
        || "-".to_owned(),
        |ratio| with_interval(ratio, row.change.interval, |ratio| format!("{ratio:.3}")),
    );
    vec![
        row.figure.to_string(),
        text(row.change.a),
        text(row.change.b),
        ratio,
        row.change.verdict.to_string(),
    ]
}

/// Returns whether any figure has an interval.
pub(super) fn has_interval(comparison: &Comparison) -> bool {
    let mut figures = comparison.figures.iter();
    figures.any(|row| row.change.interval.is_some())
}

/// Returns a time in nanoseconds as text.
pub(super) fn time(ns: f64) -> String {
    Unit::Time.text(ns)
}

/// Returns a change of a time as text.
pub(super) fn signed(ns: f64) -> String {
    let sign = if ns < 0.0 { "-" } else { "+" };
    format!("{sign}{}", time(ns.abs()))
}
