//! Tables: the entries of all cells, arranged by the levels of two axes.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;

use crate::cell::Cell;
use crate::plan::study_plan::Plan;
use crate::plan::table_spec::TableSpec;
use crate::results::figure::Unit;
use crate::results::study_results::Results;
use crate::stats::confidence_interval::{CellValues, Interval, poisson_interval, t_intervals};
use crate::stats::paired_test::{Compare, Pair, compare};
use crate::stats::statistic::Statistic;
use crate::tables::cell_entry::{Baseline, Entry, Inference, entry};

/// Table of a study.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct StudyTable {
    /// Name in the plan.
    pub name: String,
    /// Heading.
    pub title: String,
    /// Figure, as plans write it. Times are nanoseconds, written bytes are bytes a second.
    pub figure: String,
    /// Comparison with the baseline, or `None` if the table compares nothing.
    pub compare: Option<Compare>,
    /// Statistic that turns the repeats of a cell into one number.
    pub statistic: Statistic,
    /// Axes, and the levels that the baseline of a cell has.
    pub baseline: Vec<(String, String)>,
    /// Number of comparisons that were tested together.
    pub comparisons: usize,
    /// Axis with a level for each row.
    pub row_axis: String,
    /// Axis with a level for each column.
    pub column_axis: String,
    /// Grids, one for each combination of levels of the other axes.
    pub grids: Vec<Grid>,
    /// Unit of the figure.
    #[serde(skip)]
    pub unit: Unit,
}

/// Rows and columns for one combination of levels of the other axes.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Grid {
    /// These other axes and their levels. Axes with a single level are left out.
    pub of: Vec<(String, String)>,
    /// Levels of the columns.
    pub columns: Vec<String>,
    /// Rows.
    pub rows: Vec<Row>,
}

/// Row of a grid.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Row {
    /// Level of the row.
    pub level: String,
    /// Entries, one for each column.
    pub entries: Vec<Entry>,
}

/// Returns the tables of these cells of a study, as far as there are results.
pub fn tabulate(plan: &Plan, cells: &[Cell], results: &Results) -> Vec<StudyTable> {
    let specs = plan.tables.iter();
    specs.map(|spec| table(plan, spec, cells, results)).collect()
}

fn table(plan: &Plan, spec: &TableSpec, cells: &[Cell], results: &Results) -> StudyTable {
    let cells: Vec<&Cell> = cells.iter().filter(|cell| spec.has(cell)).collect();
    let inferences = inferences(spec, &cells, results);
    let tested = inferences.iter().filter_map(|one| one.comparison?.p).count();
    let entries = cells.iter().zip(&inferences).map(|(cell, inference)| {
        let baseline = baseline(spec, cell, &cells);
        (*cell, entry(spec, cell, baseline, results, inference))
    });
    let entries = entries.collect();
    StudyTable {
        name: spec.name.clone(),
        title: spec.title.clone(),
        figure: spec.figure.to_string(),
        compare: (!spec.baseline.is_empty()).then_some(spec.compare),
        statistic: spec.statistic,
        baseline: spec.baseline.clone(),
        comparisons: tested,
        row_axis: spec.rows.clone(),
        column_axis: spec.columns.clone(),
        grids: grids(plan, spec, entries),
        unit: spec.figure.unit(),
    }
}

/// Returns the intervals and comparisons of the cells of a table, which share their variances.
fn inferences(spec: &TableSpec, cells: &[&Cell], results: &Results) -> Vec<Inference> {
    let values: Vec<CellValues> = cells.iter().map(|cell| values(spec, cell, results)).collect();
    let pairs: Vec<Vec<Pair>> = cells
        .iter()
        .map(|cell| pairs(spec, cell, cells, results))
        .collect();
    let intervals = intervals(spec, &values);
    let comparisons = compare(&pairs, spec.compare).into_iter();
    let all = values.into_iter().zip(intervals).zip(comparisons);
    let inference = |((values, interval), comparison)| Inference {
        values,
        interval,
        comparison,
    };
    all.map(inference).collect()
}

/// Returns the interval of each cell. Counts of rare events are often 0, which a t interval cannot handle: their mean has an
/// exact Poisson interval, their median none.
fn intervals(spec: &TableSpec, values: &[CellValues]) -> Vec<Option<Interval>> {
    match (spec.figure.unit(), spec.statistic) {
        (Unit::Count, Statistic::Mean) => values.iter().map(|cell| poisson_interval(&cell.values)).collect(),
        (Unit::Count, Statistic::Median) => vec![None; values.len()],
        _ => t_intervals(values, spec.statistic),
    }
}

fn values(spec: &TableSpec, cell: &Cell, results: &Results) -> CellValues {
    let measured = results.measured(cell);
    let values =
        measured.filter_map(|(_, one)| Some((*one.figures.get(&spec.figure)?, one.error_of(&spec.figure))));
    let (values, errors) = values.unzip();
    CellValues { values, errors }
}

/// Returns the baseline of a cell.
fn baseline<'a>(spec: &TableSpec, cell: &Cell, cells: &[&'a Cell]) -> Baseline<'a> {
    if spec.baseline.is_empty() || spec.is_baseline(cell, cell) {
        return Baseline::None;
    }
    let mut cells = cells.iter();
    let found = cells.find(|other| spec.is_baseline(other, cell));
    found.map_or(Baseline::Absent, |cell| Baseline::Cell(cell))
}

/// Returns the repeats in which both a cell and its baseline were measured.
fn pairs(spec: &TableSpec, cell: &Cell, cells: &[&Cell], results: &Results) -> Vec<Pair> {
    let Baseline::Cell(baseline) = baseline(spec, cell, cells) else {
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

/// Entries by row and column.
type EntryMap = BTreeMap<(String, String), Entry>;

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
    let mut grids: Vec<(Vec<(String, String)>, EntryMap)> = Vec::new();
    for (cell, entry) in entries {
        let level = |axis: &str| cell.level(axis).unwrap_or_default().to_owned();
        let of: Vec<(String, String)> = others
            .iter()
            .map(|axis| ((*axis).to_owned(), level(axis)))
            .collect();
        let at = (level(&spec.rows), level(&spec.columns));
        match grids.iter_mut().find(|(known, _)| *known == of) {
            Some((_, grid)) => _ = grid.insert(at, entry),
            None => grids.push((of, BTreeMap::from([(at, entry)]))),
        }
    }
    let grids = grids.into_iter().map(|(of, mut grid)| Grid {
        of,
        columns: columns.clone(),
        rows: rows
            .iter()
            .map(|row| self::row(row, &columns, &mut grid))
            .collect(),
    });
    grids.collect()
}

fn row(level: &str, columns: &[String], grid: &mut EntryMap) -> Row {
    let mut entry = |column: &String| grid.remove(&(level.to_owned(), column.clone()));
    Row {
        level: level.to_owned(),
        entries: columns
            .iter()
            .map(|column| entry(column).unwrap_or(Entry::Absent))
            .collect(),
    }
}

impl StudyTable {
    /// Returns how cells are compared with their baselines.
    pub fn comparison(&self) -> Compare {
        self.compare.unwrap_or_default()
    }

    /// Returns what the numbers are and how sure they are, without a full stop.
    pub fn caption(&self) -> String {
        let unit = self.unit.heading();
        let unit = if unit.is_empty() {
            String::new()
        } else {
            format!(" in {unit}")
        };
        let mut caption = format!(
            "{}{unit}, {} over repeats {}",
            self.figure,
            self.statistic.as_str(),
            self.interval_text()
        );
        if let Some(compare) = self.compare {
            let baseline = self.baseline.iter();
            let baseline: Vec<String> = baseline.map(|(axis, level)| format!("{axis} {level}")).collect();
            caption += &format!("; below, the {} to {}", compare.as_str(), baseline.join(", "));
            caption += &match self.comparisons {
                0 => ", without an interval and not tested: that needs at least 2 repeats".to_owned(),
                count => format!(
                    " (95 % interval, not corrected); * significant at 5 % after correction for {count} comparisons (Holm)"
                ),
            };
        }
        caption
    }

    /// Returns what the intervals of the entries are.
    fn interval_text(&self) -> &'static str {
        let rows = self.grids.iter().flat_map(|grid| &grid.rows);
        let mut entries = rows.flat_map(|row| &row.entries).filter_map(|entry| match entry {
            Entry::Measured(one) => Some(one),
            _ => None,
        });
        match (entries.clone().any(|one| one.interval.is_some()), self.unit) {
            (true, Unit::Count) => "(95 % Poisson interval, not corrected)",
            (true, _) => "(95 % t interval, not corrected)",
            (false, _) if entries.all(|one| one.repeats < 2) => "(no interval: a single repeat has none)",
            (false, _) => "(no interval)",
        }
    }
}
