//! Page of a comparison: one file without requests to anybody.

use askama::Template;
use logtrace_common::inert;
use logtrace_report::render::PageHead;
use logtrace_statistics::Verdict;

use crate::comparison::{Comparison, FigureChange};
use crate::render::answer::{answer, subject};
use crate::render::difference::{FlameBox, ROW, boxes};
use crate::render::distribution::{DistributionPlot, plots};
use crate::render::elements::{OTHER, PRIMARY, held_up, kinds, method, notes, setting_row, sides};
use crate::render::texts::{change, figure_row, figures_of, time};
use crate::render::tree_rows::{TreeRow, tree_rows};

/// Least and largest end of the axis of ratios, as logarithms.
const AXIS: (f64, f64) = (0.1, 2.1);

/// Style of what only this page has.
const OWN_STYLE: &str = include_str!("../../templates/compare.css");

#[derive(Template)]
#[template(path = "compare.html")]
struct ComparisonPage {
    head: String,
    subject: String,
    answer: String,
    /// Who held commits up, a line for each side.
    held_up: Vec<String>,
    /// Names and titles of both sides, a line each.
    sides: Vec<String>,
    notes: Vec<String>,
    method: String,
    settings: Vec<Vec<String>>,
    /// Tables of figures with their headings.
    figures: Vec<(&'static str, Vec<FigureLine>)>,
    /// Ratios at the ends of the axis.
    ends: [String; 2],
    plots: Vec<DistributionPlot>,
    steps: Vec<StepLine>,
    kinds: String,
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
    let page = ComparisonPage {
        head: head.html()?,
        subject: subject(comparison),
        answer: answer(comparison),
        held_up: held_up(comparison),
        sides: sides(comparison),
        notes: notes(comparison),
        method: method(comparison),
        settings: comparison.settings.iter().map(setting_row).collect(),
        figures: figures(comparison, end),
        ends: [-end, end].map(|end| format!("{:.2}", end.exp())),
        plots: plots(comparison),
        steps: steps(comparison),
        kinds: kinds(comparison),
        height: boxes.iter().map(|one| one.top + ROW).fold(0.0, f64::max),
        boxes,
    };
    Ok(inert::lines(&(page.render()? + "\n")))
}

/// Returns the logarithm of the ratio at the right end of the axis, such that all intervals are on it, if they are not too wide.
fn axis_end(comparison: &Comparison) -> f64 {
    let figures = comparison.figures.iter().map(|row| &row.compared);
    let ratios = figures.flat_map(|compared| {
        let interval = compared.interval;
        [
            compared.change,
            interval.map(|one| one.low),
            interval.map(|one| one.high),
        ]
    });
    let far = ratios.flatten().map(|ratio| ratio.ln().abs());
    far.filter(|far| far.is_finite())
        .fold(AXIS.0, f64::max)
        .min(AXIS.1)
}

/// Returns the tables of figures that have rows.
fn figures(comparison: &Comparison, end: f64) -> Vec<(&'static str, Vec<FigureLine>)> {
    let tables = [(PRIMARY, true), (OTHER, false)].map(|(heading, is_primary)| {
        let figures = figures_of(comparison, is_primary).into_iter();
        (
            heading,
            figures.map(|row| figure_line(row, end)).collect::<Vec<_>>(),
        )
    });
    tables
        .into_iter()
        .filter(|(_, lines)| !lines.is_empty())
        .collect()
}

fn figure_line(row: &FigureChange, end: f64) -> FigureLine {
    let place = |ratio: f64| (50.0 + 50.0 * ratio.ln() / end).clamp(0.0, 100.0);
    let compared = row.compared;
    let ratio = compared.change.map_or(0.0, f64::ln);
    FigureLine {
        words: figure_row(row),
        class: class(compared.verdict, compared.b > compared.a),
        point: compared.change.map(place),
        is_beyond: [ratio < -end, ratio > end],
        interval: compared.interval.map(|one| {
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

/// Returns the rows of the tree as a way from A to B: each begins where the one before it ended, and its parts where it begins.
fn steps(comparison: &Comparison) -> Vec<StepLine> {
    let rows = tree_rows(comparison);
    let Some((whole, changes)) = rows.split_first() else {
        return Vec::new();
    };
    let to = |row: &TreeRow| row.from + row.b - row.a;
    let ends = changes.iter().flat_map(|row| [row.from, to(row)]);
    let most = ends.fold(whole.a.max(whole.b), f64::max);
    let percent = |ns: f64| 100.0 * ns / most.max(f64::MIN_POSITIVE);
    let mean = |name: &str, ns: f64| StepLine {
        name: name.to_owned(),
        text: time(ns),
        verdict: String::new(),
        class: "mean",
        left: 0.0,
        width: percent(ns),
    };
    let lines = changes.iter().map(|row| StepLine {
        name: format!("{}{}", row.edge, row.name),
        text: change(row.b - row.a, row.interval),
        verdict: row
            .verdict
            .map_or_else(String::new, |verdict| verdict.to_string()),
        class: row
            .verdict
            .map_or("uncertain", |verdict| class(verdict, row.b > row.a)),
        left: percent(row.from.min(to(row))),
        width: percent((row.b - row.a).abs()),
    });
    let (first, last) = (
        mean("mean commit of A", whole.a),
        mean("mean commit of B", whole.b),
    );
    [first].into_iter().chain(lines).chain([last]).collect()
}
