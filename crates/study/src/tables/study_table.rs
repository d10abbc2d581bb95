//! Results in tables.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::cell::Cell;
use crate::plan::study_plan::Plan;
use crate::plan::table_spec::{Compare, TableSpec};
use crate::results::figure::Unit;
use crate::results::study_results::Results;
use crate::stats::paired_test::{Pair, compare};
use crate::tables::cell_entry::{Baseline, Entry, entry};

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
    let compared = cells.iter().zip(compared);
    let entries = compared.map(|(cell, comparison)| {
        let baseline = baseline(spec, cell, &cells);
        (*cell, entry(spec, cell, baseline, results, comparison))
    });
    let entries = entries.collect();
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

/// What a cell is compared with, if anything.
fn baseline<'a>(spec: &TableSpec, cell: &Cell, cells: &[&'a Cell]) -> Baseline<'a> {
    if spec.baseline.is_empty() || spec.is_baseline(cell, cell) {
        return Baseline::None;
    }
    let mut cells = cells.iter();
    let found = cells.find(|other| spec.is_baseline(other, cell));
    found.map_or(Baseline::Absent, |cell| Baseline::Cell(cell))
}

/// The repeats that both a cell and its baseline were measured in; none for a cell that is its own baseline.
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
