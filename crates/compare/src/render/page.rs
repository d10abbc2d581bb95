//! Page of a comparison: one file without requests to anybody.

use askama::Template;
use logtrace_common::inert;
use logtrace_report::render::PageHead;

use crate::change::Verdict;
use crate::comparison::{Comparison, FigureChange};
use crate::render::answer::answer;
use crate::render::difference::{FlameBox, ROW, boxes};
use crate::render::elements::{method, notes, setting_row, sides};
use crate::render::steps::Steps;
use crate::render::texts::{figure_row, signed, time};

/// Least and largest end of the axis of ratios, as logarithms.
const AXIS: (f64, f64) = (0.1, 2.1);

/// Style of what only this page has.
const OWN_STYLE: &str = include_str!("../../templates/compare.css");

#[derive(Template)]
#[template(path = "compare.html")]
struct Page {
    head: String,
    answer: String,
    /// Names and titles of both sides, a line each.
    sides: Vec<String>,
    notes: Vec<String>,
    method: String,
    settings: Vec<Vec<String>>,
    figures: Vec<FigureLine>,
    /// Ratios at the ends of the axis.
    ends: [String; 2],
    steps: Vec<StepLine>,
    boxes: Vec<FlameBox>,
    /// Height of the flame graph in heights of letters (rem).
    height: f64,
}

/// Line of the table of figures.
struct FigureLine {
    words: Vec<String>,
    class: &'static str,
    /// Place of the ratio on the axis, in percent.
    point: Option<f64>,
    /// Whether the ratio is beyond the axis, on the left or on the right.
    is_beyond: [bool; 2],
    /// Left edge and width of the interval, in percent.
    interval: Option<(f64, f64)>,
}

/// Line of the steps from A to B.
struct StepLine {
    name: String,
    text: String,
    verdict: String,
    class: &'static str,
    /// Left edge and width in percent.
    left: f64,
    width: f64,
}

/// Renders the page.
pub(super) fn page(comparison: &Comparison) -> Result<String, askama::Error> {
    let end = axis_end(comparison);
    let boxes = boxes(comparison);
    let head = PageHead {
        title: "comparison",
        styles: &[OWN_STYLE],
        scripts: &[],
        drawings: &[],
    };
    let page = Page {
        head: head.html()?,
        answer: answer(comparison),
        sides: sides(comparison),
        notes: notes(comparison),
        method: method(comparison),
        settings: comparison.settings.iter().map(setting_row).collect(),
        figures: comparison
            .figures
            .iter()
            .map(|row| figure_line(row, end))
            .collect(),
        ends: [-end, end].map(|end| format!("{:.2}", end.exp())),
        steps: steps(comparison),
        height: boxes.iter().map(|one| one.top + ROW).fold(0.0, f64::max),
        boxes,
    };
    Ok(inert::lines(&(page.render()? + "\n")))
}

/// Returns the logarithm of the ratio at the right end of the axis, such that all intervals are on it, if they are not too wide.
fn axis_end(comparison: &Comparison) -> f64 {
    let changes = comparison.figures.iter().map(|row| &row.change);
    let ratios = changes.flat_map(|change| {
        let interval = change.interval;
        [
            change.change,
            interval.map(|one| one.low),
            interval.map(|one| one.high),
        ]
    });
    let far = ratios.flatten().map(|ratio| ratio.ln().abs());
    far.filter(|far| far.is_finite())
        .fold(AXIS.0, f64::max)
        .min(AXIS.1)
}

fn figure_line(row: &FigureChange, end: f64) -> FigureLine {
    let place = |ratio: f64| (50.0 + 50.0 * ratio.ln() / end).clamp(0.0, 100.0);
    let change = row.change;
    let ratio = change.change.map_or(0.0, f64::ln);
    FigureLine {
        words: figure_row(row),
        class: class(change.verdict, change.b > change.a),
        point: change.change.map(place),
        is_beyond: [ratio < -end, ratio > end],
        interval: change.interval.map(|one| {
            let low = place(one.low.max(f64::MIN_POSITIVE));
            (low, place(one.high) - low)
        }),
    }
}

fn class(verdict: Verdict, is_more: bool) -> &'static str {
    match (verdict, is_more) {
        (Verdict::Differs, true) => "more",
        (Verdict::Differs, false) => "less",
        (Verdict::Same | Verdict::CannotTell, _) => "uncertain",
    }
}

fn steps(comparison: &Comparison) -> Vec<StepLine> {
    if comparison.causes.is_empty() {
        return Vec::new();
    }
    let steps = Steps::of(comparison);
    let mut at = steps.a;
    let mut lines = Vec::new();
    let mut step = |name: String, change: f64, verdict: Option<Verdict>| {
        let (from, to) = (at, at + change);
        at = to;
        lines.push((
            name,
            from.min(to),
            from.max(to),
            signed(change),
            verdict,
            change > 0.0,
        ));
    };
    for row in &steps.causes {
        step(
            row.waited.words(),
            row.change.b - row.change.a,
            Some(row.change.verdict),
        );
    }
    step("others".to_owned(), steps.others.1 - steps.others.0, None);
    let most = lines
        .iter()
        .map(|line| line.2)
        .fold(steps.a.max(steps.b), f64::max);
    let percent = |ns: f64| 100.0 * ns / most.max(f64::MIN_POSITIVE);
    let mean = |name: &str, ns: f64| StepLine {
        name: name.to_owned(),
        text: time(ns),
        verdict: String::new(),
        class: "mean",
        left: 0.0,
        width: percent(ns),
    };
    let changes = lines
        .into_iter()
        .map(|(name, from, to, text, verdict, is_more)| StepLine {
            name,
            text,
            verdict: verdict.map_or_else(String::new, |verdict| verdict.to_string()),
            class: verdict.map_or("uncertain", |verdict| class(verdict, is_more)),
            left: percent(from),
            width: percent(to - from),
        });
    let (first, last) = (
        mean("mean commit of A", steps.a),
        mean("mean commit of B", steps.b),
    );
    [first].into_iter().chain(changes).chain([last]).collect()
}
