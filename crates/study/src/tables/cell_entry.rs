//! What stands in the places of tables.

use std::collections::BTreeMap;

use logtrace_driver::random::Stream;
use serde::Serialize;

use crate::cell::Cell;
use crate::plan::table_spec::{Compare, TableSpec};
use crate::results::figure::{Figure, Unit};
use crate::results::study_results::Results;
use crate::stats::confidence_interval::{Interval, interval};
use crate::stats::paired_test::Comparison;

/// Causes that an entry names.
const CAUSES: usize = 3;
/// Smaller ones are not worth a place.
const SMALLEST: f64 = 0.03;

/// What stands in a place of a table.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "state", rename_all = "snake_case")]
pub enum Entry {
    /// The study has no such cell.
    Absent,
    /// There is nothing to show of the cell.
    Missing {
        /// The cell.
        cell: String,
        /// Why.
        why: String,
    },
    /// A figure.
    Measured(Box<Tabulated>),
}

/// A figure of a cell.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Tabulated {
    /// The cell.
    pub cell: String,
    /// Repeats that it was measured in.
    pub repeats: usize,
    /// The figure: its median or mean over the repeats.
    pub value: f64,
    /// Where the true one is; `None` where nothing tells.
    pub interval: Option<Interval>,
    /// How it differs from the baseline; `None` for a baseline itself, and where there is no ratio.
    pub comparison: Option<Comparison>,
    /// What the server waited for most: commits, and statements where these were traced.
    pub causes: Vec<CauseShare>,
    /// What to know about it: repeats that failed or are missing, runs that were degraded.
    pub notes: Vec<String>,
}

/// A cause and its share of all waiting.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct CauseShare {
    /// File, operation and wait, as `binlog fsync, journal commit`.
    pub cause: String,
    /// Its share, from 0 to 1.
    pub share: f64,
    /// Nanoseconds of a commit, on average; of a statement where hardly anything commits. `None` where it is not of all commits.
    pub mean: Option<f64>,
}

/// What a cell is compared with.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Baseline<'a> {
    /// Nothing: the table compares nothing, or it is a baseline itself.
    None,
    /// It should be compared, and there is no such cell.
    Absent,
    /// This cell.
    Cell(&'a Cell),
}

/// The entry of a cell.
pub(crate) fn entry(
    spec: &TableSpec,
    cell: &Cell,
    baseline: Baseline<'_>,
    results: &Results,
    comparison: Option<Comparison>,
) -> Entry {
    let measured: Vec<_> = results.measured(cell).map(|(_, measured)| measured).collect();
    let figures = measured
        .iter()
        .filter_map(|one| Some((*one.figures.get(&spec.figure)?, one.error_of(&spec.figure))));
    let (values, errors): (Vec<f64>, Vec<Option<f64>>) = figures.unzip();
    let Some(value) = spec.statistic.of(&values) else {
        return Entry::Missing {
            cell: cell.key.clone(),
            why: why_missing(&spec.figure, cell, results),
        };
    };
    let mut rng = Stream::Study(u32::MAX).rng(0);
    Entry::Measured(Box::new(Tabulated {
        cell: cell.key.clone(),
        repeats: values.len(),
        value: tidy(value),
        interval: interval(&values, &errors, spec.statistic, &mut rng).map(tidy_interval),
        comparison: comparison.map(tidy_comparison),
        causes: causes(cell, results, &spec.figure),
        notes: notes(cell, values.len(), results)
            .into_iter()
            .chain(not_compared(spec, baseline, results).filter(|_| comparison.is_none()))
            .collect(),
    }))
}

fn why_missing(figure: &Figure, cell: &Cell, results: &Results) -> String {
    if results.measured(cell).next().is_some() {
        return format!("its runs have no {figure}");
    }
    match results.failed(cell).next() {
        Some((_, why)) => format!("failed: {why}"),
        None => "not measured yet".to_owned(),
    }
}

fn notes(cell: &Cell, repeats: usize, results: &Results) -> Vec<String> {
    let failed = results.failed(cell);
    let mut notes: Vec<String> = failed
        .map(|(repeat, why)| format!("repeat {} failed: {why}", repeat + 1))
        .collect();
    let planned = usize::try_from(cell.repeats).unwrap_or(usize::MAX);
    let missing = planned.saturating_sub(repeats + notes.len());
    if missing > 0 {
        notes.push(format!("{missing} of {planned} repeats are missing"));
    }
    let degraded = results.measured(cell).filter(|(_, measured)| measured.degraded);
    notes.extend(degraded.map(|(repeat, _)| format!("the run of repeat {} is degraded", repeat + 1)));
    notes.extend(hardly_seen(cell, results));
    notes
}

/// That its causes are those of a few requests.
fn hardly_seen(cell: &Cell, results: &Results) -> Option<String> {
    let seen = results
        .measured(cell)
        .filter_map(|(_, measured)| measured.seen_hardly);
    let least = seen.min_by(f64::total_cmp)?;
    Some(format!(
        "bursts show {:.0} % of its requests' time, and causes are of that (docs/attribution.md, A sample of the time)",
        least * 100.0
    ))
}

/// Why a cell that has a baseline is not compared with it.
fn not_compared(spec: &TableSpec, baseline: Baseline<'_>, results: &Results) -> Option<String> {
    let baseline = match baseline {
        Baseline::None => return None,
        Baseline::Absent => return Some("the study has no baseline of it".to_owned()),
        Baseline::Cell(cell) => cell,
    };
    let figures = results
        .measured(baseline)
        .filter_map(|(_, one)| one.figures.get(&spec.figure));
    Some(match (figures.count(), spec.compare) {
        (0, _) => "its baseline is not measured".to_owned(),
        (_, Compare::Ratio) => "it has no ratio: a figure is 0, or no repeat is measured of both".to_owned(),
        (_, Compare::Difference) => "no repeat is measured of it and its baseline".to_owned(),
    })
}

/// The largest causes over all repeats of a cell: of its commits where the figure is of these, else of its statements too.
fn causes(cell: &Cell, results: &Results, figure: &Figure) -> Vec<CauseShare> {
    let (mut totals, mut events): (BTreeMap<String, u64>, u64) = (BTreeMap::new(), 0);
    for (_, measured) in results.measured(cell) {
        let (causes, of) = match figure {
            Figure::Commits(_) | Figure::CommitPart(_) => (&measured.commit_causes, measured.commits),
            _ => (&measured.causes, measured.events),
        };
        events += of;
        for cause in causes {
            *totals.entry(cause.name()).or_default() += cause.total;
        }
    }
    let mut totals: Vec<(String, u64)> = totals.into_iter().collect();
    totals.sort_by_key(|(_, total)| std::cmp::Reverse(*total));
    let shares = shares(totals, Some(events)).into_iter();
    shares.filter(|one| one.share >= SMALLEST).take(CAUSES).collect()
}

/// Causes with their shares of all, in the same order; and so much of each event, where the number of events is told.
pub(crate) fn shares(totals: Vec<(String, u64)>, events: Option<u64>) -> Vec<CauseShare> {
    let all: u64 = totals.iter().map(|(_, total)| total).sum();
    let events = events.filter(|&events| events > 0);
    let shares = totals.into_iter().map(|(cause, total)| CauseShare {
        cause,
        share: tidy(total as f64 / all.max(1) as f64),
        mean: events.map(|events| tidy(total as f64 / events as f64)),
    });
    shares.collect()
}

impl Tabulated {
    /// The figure and its interval, for people.
    pub fn text(&self, unit: Unit) -> String {
        let value = unit.text(self.value);
        match self.interval {
            Some(interval) => format!("{value} ({})", span(unit, interval)),
            None => value,
        }
    }
}

impl Comparison {
    /// The ratio or the difference and its interval, for people; a star where it is significant.
    pub fn text(&self, how: Compare, unit: Unit) -> String {
        let value = |value: f64| match how {
            Compare::Ratio => format!("{value:.2}"),
            Compare::Difference => unit.text(value),
        };
        let star = if self.significant { " *" } else { "" };
        let sign = if how == Compare::Difference && self.value > 0.0 {
            "+"
        } else {
            ""
        };
        match self.interval {
            Some(interval) => {
                let (low, high) = (value(interval.low), value(interval.high));
                format!("{sign}{} ({low}..{high}){star}", value(self.value))
            }
            None => format!("{sign}{}{star}", value(self.value)),
        }
    }
}

fn span(unit: Unit, interval: Interval) -> String {
    // Nothing that is tabulated is below 0.
    format!(
        "{}..{}",
        unit.text(interval.low.max(0.0)),
        unit.text(interval.high)
    )
}

/// Nine digits that tell something: what lies beyond is the arithmetic's, and differs from machine to machine.
fn tidy(value: f64) -> f64 {
    format!("{value:.8e}").parse().unwrap_or(value)
}

fn tidy_interval(interval: Interval) -> Interval {
    Interval {
        low: tidy(interval.low),
        high: tidy(interval.high),
    }
}

fn tidy_comparison(comparison: Comparison) -> Comparison {
    Comparison {
        value: tidy(comparison.value),
        interval: comparison.interval.map(tidy_interval),
        p: comparison.p.map(tidy),
        ..comparison
    }
}
