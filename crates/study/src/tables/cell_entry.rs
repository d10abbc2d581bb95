//! Entries of tables.

use logtrace_statistics::{DifferenceScale, Interval, TestedDifference, Verdict};
use schemars::JsonSchema;
use serde::Serialize;

use crate::cell::Cell;
use crate::plan::table_spec::TableSpec;
use crate::results::StudyResults;
use crate::results::figure::Figure;
use crate::results::stalls::Stall;
use crate::results::throughput_curve::ThroughputCurve;
use crate::tables::branch_share::{BranchShare, branches};
use crate::tables::cause_share::{CauseShare, causes, nine_digits, totals};
use crate::tables::observations::is_of_turns;

/// Entry of a table.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(tag = "state", rename_all = "snake_case")]
#[schemars(rename = "Entry", deny_unknown_fields)]
pub enum CellEntry {
    /// The study has no such cell.
    Absent,
    /// The cell has no value of the figure.
    Missing {
        /// Name of the cell.
        cell: String,
        /// Reason: its failure, or that it was not measured yet.
        why: String,
    },
    /// Value of a cell.
    Measured(Box<MeasuredEntry>),
}

/// Figure of a cell.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct MeasuredEntry {
    /// Name of the cell, which is also that of its directory.
    pub cell: String,
    /// Number of repeats with this figure.
    pub repeats: usize,
    /// Median or mean of the figure over the repeats.
    pub value: f64,
    /// 95 % interval of the true value, not corrected for the number of cells: a t interval with the variance that the cells
    /// of the table moderate (for a median joined with one between order statistics), or a Poisson interval of a mean count,
    /// wider where counts scatter more. `None` with one repeat, and where the repeats do
    /// not show a variance.
    pub interval: Option<Interval>,
    /// Comparison with the baseline. `None` for a baseline itself, and where nothing can be compared.
    pub comparison: Option<TestedDifference>,
    /// Verdict on this comparison, by the rules of `logtrace compare`. The smallest change that matters is the plan's aim, or
    /// 2 % of the baseline. `None` where nothing is compared.
    pub verdict: Option<Verdict>,
    /// Ratio to the baseline that somebody published. Null if the plan names none.
    pub published: Option<PublishedRatio>,
    /// Causes of the waiting time of the server's commits, and of its statements where these were traced; the largest first.
    pub causes: Vec<CauseShare>,
    /// Branches of the tree of reports that have this time, the largest first.
    pub branches: Vec<BranchShare>,
    /// Throughput over time in the first repeat that is measured, if the plan wants it drawn. `series.csv` has all of them.
    #[serde(skip)]
    pub curve: Option<RepeatCurve>,
    /// Failed and missing repeats, degraded runs, and reasons why the cell is not compared.
    pub notes: Vec<String>,
}

/// Throughput of a repeat over time.
#[derive(Clone, Debug, PartialEq)]
pub struct RepeatCurve {
    /// Number of the repeat, from 1.
    pub repeat: u32,
    /// Throughput.
    pub curve: ThroughputCurve,
    /// Stalls, in the order of time.
    pub stalls: Vec<Stall>,
}

/// Ratio to the baseline that somebody published.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct PublishedRatio {
    /// Short name of the publication, such as its year.
    pub source: String,
    /// Ratio.
    pub ratio: f64,
}

/// Baseline of a cell.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Baseline<'a> {
    /// The table compares nothing, or the cell is a baseline itself.
    None,
    /// The plan names a baseline that the study does not have.
    Absent,
    /// Cell to compare with.
    Cell(&'a Cell),
}

/// Inference about a cell, together with the other cells of its table.
#[derive(Clone, Debug)]
pub(crate) struct Inference<'a> {
    /// Baseline of the cell.
    pub(crate) baseline: Baseline<'a>,
    /// Figure in each repeat.
    pub(crate) values: &'a [f64],
    /// Interval of the true value.
    pub(crate) interval: Option<Interval>,
    /// Comparison with the baseline.
    pub(crate) comparison: Option<TestedDifference>,
    /// Verdict on it.
    pub(crate) verdict: Option<Verdict>,
}

impl CellEntry {
    /// Returns the figure, if it is measured.
    pub(crate) fn measured(&self) -> Option<&MeasuredEntry> {
        match self {
            Self::Measured(measured) => Some(measured),
            _ => None,
        }
    }

    /// Returns the notes, or the reason why there is no figure.
    pub(crate) fn notes(&self) -> &[String] {
        match self {
            Self::Absent => &[],
            Self::Missing { why, .. } => std::slice::from_ref(why),
            Self::Measured(measured) => &measured.notes,
        }
    }
}

pub(crate) fn entry(
    spec: &TableSpec,
    cell: &Cell,
    results: &StudyResults,
    inference: &Inference<'_>,
) -> CellEntry {
    let Some(value) = spec.statistic.of(inference.values) else {
        return CellEntry::Missing {
            cell: cell.key.clone(),
            why: why_missing(&spec.figure, cell, results),
        };
    };
    let repeats = inference.values.len();
    let mut notes = notes(&spec.figure, cell, repeats, results);
    if inference.comparison.is_none() {
        notes.extend(not_compared(spec, inference.baseline, results));
    }
    let (totals, events) = totals(cell, results, &spec.figure);
    CellEntry::Measured(Box::new(MeasuredEntry {
        cell: cell.key.clone(),
        repeats,
        value: nine_digits(value),
        interval: inference.interval.map(rounded_interval),
        comparison: inference.comparison.map(|comparison| TestedDifference {
            value: nine_digits(comparison.value),
            interval: comparison.interval.map(rounded_interval),
            p: comparison.p.map(nine_digits),
            visible: comparison.visible.map(nine_digits),
            ..comparison
        }),
        verdict: inference.verdict,
        published: spec.published_ratio(cell).map(|(source, ratio)| PublishedRatio {
            source: source.to_owned(),
            ratio,
        }),
        causes: causes(cell, results, &spec.figure),
        branches: branches(&totals, events),
        curve: spec.over_time.then(|| repeat_curve(cell, results)).flatten(),
        notes,
    }))
}

fn repeat_curve(cell: &Cell, results: &StudyResults) -> Option<RepeatCurve> {
    let (repeat, measured) = results.measured(cell).next()?;
    Some(RepeatCurve {
        repeat: repeat + 1,
        curve: measured.curve.clone(),
        stalls: measured.stalls.clone(),
    })
}

fn why_missing(figure: &Figure, cell: &Cell, results: &StudyResults) -> String {
    if results.measured(cell).next().is_some() {
        return format!("its runs have no {figure}");
    }
    match results.failed(cell).next() {
        Some((_, why)) => format!("failed: {why}"),
        None => "not measured yet".to_owned(),
    }
}

fn notes(figure: &Figure, cell: &Cell, repeats: usize, results: &StudyResults) -> Vec<String> {
    let failed = results.failed(cell);
    let failed = failed.map(|(repeat, why)| format!("repeat {} failed: {why}", repeat + 1));
    let mut notes: Vec<String> = failed.collect();
    let (planned, tried) = match is_of_turns(figure, cell, results) {
        true => (cell.repeats as usize, repeats),
        false => (cell.window_count() as usize, repeats + notes.len()),
    };
    if let [first, ..] = results.failed_turns(cell) {
        let count = results.failed_turns(cell).len();
        notes.push(format!("{count} short turns failed: {first}"));
    }
    let missing = planned.saturating_sub(tried);
    if missing > 0 {
        notes.push(format!("{missing} of {planned} repeats are missing"));
    }
    if repeats == 1 && planned > 1 {
        notes.push("a single repeat has no interval".to_owned());
    }
    notes.extend(degraded(cell, results));
    notes.extend(barely_traced(cell, results));
    notes
}

/// Returns a note with the repeats of a cell whose runs are degraded, if there are some.
fn degraded(cell: &Cell, results: &StudyResults) -> Option<String> {
    let degraded = results.measured(cell).filter(|(_, measured)| measured.degraded);
    let repeats: Vec<String> = degraded.map(|(repeat, _)| (repeat + 1).to_string()).collect();
    match repeats.as_slice() {
        [] => None,
        [one] => Some(format!("the run of repeat {one} is degraded")),
        repeats => Some(format!("the runs of repeats {} are degraded", repeats.join(", "))),
    }
}

/// Returns a note that the causes of a cell stand for few of its requests, if they do.
fn barely_traced(cell: &Cell, results: &StudyResults) -> Option<String> {
    let measured = results.measured(cell);
    let traced = measured.filter_map(|(_, measured)| measured.seen_hardly);
    let least = traced.min_by(f64::total_cmp)?;
    Some(format!(
        "the bursts of tracing cover {:.0} % of its requests' time, and causes stand for that part only \
         (docs/attribution.md, A sample of the time)",
        least * 100.0
    ))
}

/// Returns why a cell that has a baseline is not compared with it.
fn not_compared(spec: &TableSpec, baseline: Baseline<'_>, results: &StudyResults) -> Option<String> {
    let baseline = match baseline {
        Baseline::None => return None,
        Baseline::Absent => return Some("not compared: the study does not have its baseline".to_owned()),
        Baseline::Cell(cell) => cell,
    };
    let mut measured = results.measured(baseline);
    let has_figure = measured.any(|(_, one)| one.figures.contains_key(&spec.figure));
    let why = match spec.compare {
        _ if !has_figure => "its baseline is not measured",
        DifferenceScale::Ratio => "a value is 0, or no repeat has both the cell and its baseline",
        DifferenceScale::Difference => "no repeat has both the cell and its baseline",
    };
    Some(format!("not compared: {why}"))
}

fn rounded_interval(interval: Interval) -> Interval {
    Interval {
        low: nine_digits(interval.low),
        high: nine_digits(interval.high),
    }
}
