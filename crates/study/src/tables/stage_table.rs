//! Stages of a statement by the server's own clock, with the causes of its commit and of its other time.

use std::collections::BTreeMap;

use logtrace_common::Flavor;
use logtrace_statistics::mean;
use schemars::JsonSchema;
use serde::Serialize;

use crate::cell::Cell;
use crate::results::StudyResults;
use crate::results::figure::{Figure, Point};
use crate::tables::cause_share::{CauseShare, causes, causes_outside, nine_digits};

/// Stages of a statement on one server. Times are mean nanoseconds of a statement.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct StageTable {
    /// Server.
    pub server: String,
    /// Axes in which the columns differ.
    pub axes: Vec<String>,
    /// Columns.
    pub columns: Vec<StageColumn>,
    /// Stages by the Performance Schema, the longest first.
    pub stages: Vec<StageRow>,
    /// Causes of the commit, the largest first. They sum to its mean time.
    pub commit: Vec<StageRow>,
    /// Causes of the statement's time outside of its commit, the largest first. They sum to this time.
    pub outside: Vec<StageRow>,
}

/// Column of a table of stages.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct StageColumn {
    /// Name of the cell.
    pub cell: String,
    /// Levels of the cell, one for each axis of the table.
    pub levels: Vec<String>,
}

/// Stage or cause.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct StageRow {
    /// Name.
    pub name: String,
    /// Mean nanoseconds of a statement, one for each column. Null where the cell does not have the row.
    pub means: Vec<Option<f64>>,
}

/// Returns a table for each server whose statements were timed by stage.
pub(crate) fn stage_tables(cells: &[Cell], results: &StudyResults) -> Vec<StageTable> {
    let is_timed = |cell: &&Cell| cell.stages && results.measured(cell).next().is_some();
    let timed: Vec<&Cell> = cells.iter().filter(is_timed).collect();
    let mut flavors: Vec<Flavor> = Vec::new();
    for cell in &timed {
        if !flavors.contains(&cell.flavor) {
            flavors.push(cell.flavor);
        }
    }
    let tables = flavors.into_iter().map(|flavor| {
        let cells = timed.iter().copied().filter(|cell| cell.flavor == flavor);
        stage_table(flavor, &cells.collect::<Vec<_>>(), results)
    });
    tables.collect()
}

fn stage_table(flavor: Flavor, cells: &[&Cell], results: &StudyResults) -> StageTable {
    let axes = differing_axes(cells);
    let column = |cell: &&Cell| StageColumn {
        cell: cell.key.clone(),
        levels: axes
            .iter()
            .filter_map(|axis| cell.level(axis))
            .map(str::to_owned)
            .collect(),
    };
    let commit = |cell: &&Cell| means(causes(cell, results, &Figure::Commits(Point::Mean)));
    StageTable {
        server: flavor.to_string(),
        columns: cells.iter().map(column).collect(),
        stages: rows(cells.iter().map(|cell| stages(cell, results)).collect()),
        commit: rows(cells.iter().map(commit).collect()),
        outside: rows(
            cells
                .iter()
                .map(|cell| means(causes_outside(cell, results)))
                .collect(),
        ),
        axes,
    }
}

/// Returns the axes in which cells differ.
fn differing_axes(cells: &[&Cell]) -> Vec<String> {
    let Some((first, others)) = cells.split_first() else {
        return Vec::new();
    };
    let differs = |axis: &String| others.iter().any(|cell| cell.level(axis) != first.level(axis));
    let axes = first.levels.iter().map(|(axis, _)| axis);
    axes.filter(|axis| differs(axis)).cloned().collect()
}

/// Returns the mean of each stage over the windows of a cell.
fn stages(cell: &Cell, results: &StudyResults) -> Vec<(String, f64)> {
    let mut values: BTreeMap<&str, Vec<f64>> = BTreeMap::new();
    for (_, measured) in results.measured(cell) {
        for (figure, value) in &measured.figures {
            if let Figure::Stage(name) = figure {
                values.entry(name).or_default().push(*value);
            }
        }
    }
    let means = values.into_iter();
    let means = means.filter_map(|(name, values)| Some((name.to_owned(), nine_digits(mean(&values)?))));
    means.collect()
}

fn means(causes: Vec<CauseShare>) -> Vec<(String, f64)> {
    let causes = causes.into_iter();
    causes.filter_map(|one| Some((one.cause, one.mean?))).collect()
}

/// Arranges the means of all columns by their names, the row with the largest sum first. Rows without any time are left out.
fn rows(columns: Vec<Vec<(String, f64)>>) -> Vec<StageRow> {
    let count = columns.len();
    let mut rows: BTreeMap<String, Vec<Option<f64>>> = BTreeMap::new();
    for (at, column) in columns.into_iter().enumerate() {
        for (name, mean) in column {
            rows.entry(name).or_insert_with(|| vec![None; count])[at] = Some(mean);
        }
    }
    let rows = rows.into_iter().map(|(name, means)| StageRow { name, means });
    let mut rows: Vec<StageRow> = rows.filter(|row| row.sum() > 0.0).collect();
    rows.sort_by(|one, other| other.sum().total_cmp(&one.sum()));
    rows
}

impl StageRow {
    /// Returns the sum over the columns.
    pub(crate) fn sum(&self) -> f64 {
        self.means.iter().flatten().sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(column: &[(&str, f64)]) -> Vec<(String, f64)> {
        column
            .iter()
            .map(|&(name, mean)| (name.to_owned(), mean))
            .collect()
    }

    #[test]
    fn rows_are_arranged_by_name_and_the_longest_is_the_first() {
        let first = named(&[("init", 2.0), ("commit", 5.0), ("never", 0.0)]);
        let second = named(&[("commit", 50.0), ("sync", 4.0)]);
        let rows = rows(vec![first, second]);
        let shown: Vec<_> = rows
            .iter()
            .map(|row| (row.name.as_str(), row.means.clone()))
            .collect();
        let expected = [
            ("commit", vec![Some(5.0), Some(50.0)]),
            ("sync", vec![None, Some(4.0)]),
            ("init", vec![Some(2.0), None]),
        ];
        assert_eq!(shown, expected);
    }
}
