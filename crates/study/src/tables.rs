//! Results in tables.

use std::collections::BTreeMap;

use logtrace_driver::random::Stream;
use serde::Serialize;

use crate::cell::Cell;
use crate::compared::{Comparison, Pair, compare};
use crate::estimated::{Interval, interval};
use crate::figure::{Figure, Unit};
use crate::plan::Plan;
use crate::results::Results;
use crate::table_spec::{Compare, TableSpec};

/// Causes that an entry names.
const CAUSES: usize = 3;
/// Smaller ones are not worth a place.
const SMALLEST: f64 = 0.03;

/// One table of a study.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct StudyTable {
    /// Its name in the plan.
    pub name: String,
    /// Its heading.
    pub title: String,
    /// The figure, as plans have it.
    pub figure: String,
    /// `ratio` or `difference`; `None` where nothing is compared.
    pub compare: Option<&'static str>,
    /// `median` or `mean`.
    pub statistic: &'static str,
    /// What cells are compared with: axes and their levels.
    pub baseline: Vec<(String, String)>,
    /// Comparisons that were tested together.
    pub comparisons: usize,
    /// The axis of the rows.
    pub row_axis: String,
    /// The axis of the columns.
    pub column_axis: String,
    /// One grid for each combination of levels of the other axes.
    pub grids: Vec<Grid>,
    /// What its numbers are.
    #[serde(skip)]
    pub unit: Unit,
}

/// Rows and columns for one combination of levels of the other axes.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Grid {
    /// Axes and their levels; those with a single level are left out.
    pub of: Vec<(String, String)>,
    /// The levels of the columns.
    pub columns: Vec<String>,
    /// The rows.
    pub rows: Vec<Row>,
}

/// A row.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Row {
    /// Its level.
    pub level: String,
    /// An entry for each column.
    pub entries: Vec<Entry>,
}

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

/// A cause and its share of all waiting.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct CauseShare {
    /// File, operation and wait, as `binlog fsync, journal commit`.
    pub cause: String,
    /// Its share, from 0 to 1.
    pub share: f64,
}

/// The tables of these cells of a study, as far as there are results.
pub fn tabulate(plan: &Plan, cells: &[Cell], results: &Results) -> Vec<StudyTable> {
    let specs = plan.tables.iter();
    specs.map(|spec| table(plan, spec, cells, results)).collect()
}

fn table(plan: &Plan, spec: &TableSpec, cells: &[Cell], results: &Results) -> StudyTable {
    let cells: Vec<&Cell> = cells.iter().filter(|cell| spec.has(cell)).collect();
    let pairs: Vec<Vec<Pair>> = cells
        .iter()
        .map(|cell| pairs(spec, cell, &cells, results))
        .collect();
    let compared = compare(&pairs, spec.compare);
    let comparisons = compared.iter().flatten().filter(|one| one.p.is_some()).count();
    let entries = cells.iter().zip(compared);
    let entries: Vec<(&Cell, Entry)> = entries
        .map(|(cell, compared)| (*cell, entry(spec, cell, results, compared)))
        .collect();
    StudyTable {
        name: spec.name.clone(),
        title: spec.title.clone(),
        figure: spec.figure.to_string(),
        compare: (!spec.baseline.is_empty()).then_some(spec.compare.as_str()),
        statistic: spec.statistic.as_str(),
        baseline: spec.baseline.clone(),
        comparisons,
        row_axis: spec.rows.clone(),
        column_axis: spec.columns.clone(),
        grids: grids(plan, spec, entries),
        unit: spec.figure.unit(),
    }
}

/// The repeats that both a cell and its baseline were measured in; none for a cell that is its own baseline.
fn pairs(spec: &TableSpec, cell: &Cell, cells: &[&Cell], results: &Results) -> Vec<Pair> {
    let is_other = |other: &&&Cell| other.key != cell.key && spec.is_baseline(other, cell);
    let Some(baseline) = cells.iter().find(is_other).filter(|_| !spec.baseline.is_empty()) else {
        return Vec::new();
    };
    let baselines: BTreeMap<u32, _> = results.measured(baseline).collect();
    let pairs = results.measured(cell).filter_map(|(repeat, measured)| {
        let other = baselines.get(&repeat)?;
        let errors = measured.error_of(&spec.figure).zip(other.error_of(&spec.figure));
        Some(Pair {
            value: *measured.figures.get(&spec.figure)?,
            baseline: *other.figures.get(&spec.figure)?,
            errors: errors.map(|(one, other)| (one * one, other * other)),
        })
    });
    pairs.collect()
}

fn entry(spec: &TableSpec, cell: &Cell, results: &Results, comparison: Option<Comparison>) -> Entry {
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
        causes: causes(cell, results),
        notes: notes(cell, values.len(), results),
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
    notes
}

/// The largest causes over all repeats of a cell.
fn causes(cell: &Cell, results: &Results) -> Vec<CauseShare> {
    let mut totals: BTreeMap<String, u64> = BTreeMap::new();
    for cause in results.measured(cell).flat_map(|(_, measured)| &measured.causes) {
        *totals.entry(cause.name()).or_default() += cause.total;
    }
    let all: u64 = totals.values().sum();
    let shares = totals.into_iter().map(|(cause, total)| CauseShare {
        cause,
        share: tidy(total as f64 / all.max(1) as f64),
    });
    let mut shares: Vec<CauseShare> = shares.filter(|one| one.share >= SMALLEST).collect();
    shares.sort_by(|one, other| other.share.total_cmp(&one.share));
    shares.truncate(CAUSES);
    shares
}

/// Entries by their row and column.
type Places = BTreeMap<(String, String), Entry>;

fn grids(plan: &Plan, spec: &TableSpec, entries: Vec<(&Cell, Entry)>) -> Vec<Grid> {
    let present = |axis: &str| -> Vec<String> {
        let axis = plan.axes.iter().find(|known| known.name == axis);
        let levels = axis
            .into_iter()
            .flat_map(|axis| &axis.levels)
            .map(|level| level.name.clone());
        let has =
            |level: &String, axis: &str| entries.iter().any(|(cell, _)| cell.level(axis) == Some(level));
        let name = axis.map_or("", |axis| axis.name.as_str());
        levels.filter(|level| has(level, name)).collect()
    };
    let (rows, columns) = (present(&spec.rows), present(&spec.columns));
    let others = plan
        .axes
        .iter()
        .filter(|axis| axis.name != spec.rows && axis.name != spec.columns);
    let others: Vec<&str> = others
        .map(|axis| axis.name.as_str())
        .filter(|axis| present(axis).len() > 1)
        .collect();
    let mut places: Vec<(Vec<(String, String)>, Places)> = Vec::new();
    for (cell, entry) in entries {
        let level = |axis: &str| cell.level(axis).unwrap_or_default().to_owned();
        let of: Vec<(String, String)> = others
            .iter()
            .map(|axis| ((*axis).to_owned(), level(axis)))
            .collect();
        let place = (level(&spec.rows), level(&spec.columns));
        match places.iter_mut().find(|(known, _)| *known == of) {
            Some((_, grid)) => _ = grid.insert(place, entry),
            None => places.push((of, BTreeMap::from([(place, entry)]))),
        }
    }
    let grids = places.into_iter().map(|(of, mut grid)| Grid {
        of,
        columns: columns.clone(),
        rows: rows
            .iter()
            .map(|row| self::row(row, &columns, &mut grid))
            .collect(),
    });
    grids.collect()
}

fn row(level: &str, columns: &[String], grid: &mut Places) -> Row {
    let mut entry = |column: &String| grid.remove(&(level.to_owned(), column.clone()));
    Row {
        level: level.to_owned(),
        entries: columns
            .iter()
            .map(|column| entry(column).unwrap_or(Entry::Absent))
            .collect(),
    }
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

impl StudyTable {
    /// How cells are compared, where they are.
    pub fn comparison(&self) -> Compare {
        match self.compare {
            Some("difference") => Compare::Difference,
            _ => Compare::Ratio,
        }
    }

    /// What the numbers are, in a sentence without an end.
    pub fn caption(&self) -> String {
        let unit = self.unit.heading();
        let unit = if unit.is_empty() {
            String::new()
        } else {
            format!(" in {unit}")
        };
        let mut caption = format!(
            "{}{unit}, {} over repeats (95 % confidence)",
            self.figure, self.statistic
        );
        if let Some(compare) = self.compare {
            let baseline = self
                .baseline
                .iter()
                .map(|(axis, level)| format!("{axis} {level}"));
            let baseline: Vec<String> = baseline.collect();
            caption += &format!("; below, the {compare} to {}", baseline.join(", "));
            caption += &match self.comparisons {
                0 => "; nothing is tested with one repeat".to_owned(),
                count => format!("; * significant at 5 % with {count} comparisons (Holm)"),
            };
        }
        caption
    }
}
