//! Tables of a study: figures of its cells, with intervals, comparisons and causes.

pub(crate) mod branch_share;
pub(crate) mod caption;
pub(crate) mod cause_share;
pub(crate) mod cell_entry;
pub(crate) mod observations;
pub(crate) mod reference;
pub(crate) mod stage_table;

use std::collections::BTreeMap;

use logtrace_report::render::Unit;
use logtrace_statistics::{
    CellValues, DifferenceScale, Interval, Pair, SMALLEST_CHANGE, Statistic, TestedDifference, Verdict,
    compare_cells, mean, median, poisson_intervals, t_intervals,
};
use schemars::JsonSchema;
use serde::Serialize;

use crate::cell::Cell;
use crate::plan::Plan;
use crate::plan::axis::Axis;
use crate::plan::table_spec::TableSpec;
use crate::results::StudyResults;
use crate::tables::cause_share::nine_digits;
use crate::tables::cell_entry::{Baseline, CellEntry, Inference, entry};
use crate::tables::observations::{carry_over_of, is_of_turns, pairs, values};
use crate::tables::reference::{Reference, reference};

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
    pub compare: Option<DifferenceScale>,
    /// Statistic that turns the repeats of a cell into one number.
    pub statistic: Statistic,
    /// Axes, and the levels that the baseline of a cell has.
    pub baseline: Vec<(String, String)>,
    /// Number of comparisons that were tested together.
    pub comparisons: usize,
    /// Smallest effects that these comparisons could have shown. Null if nothing was tested.
    pub visible: Option<VisibleEffect>,
    /// Smallest effect that the plan is to show, as a share of the baseline. Null if it names none.
    pub aim: Option<f64>,
    /// Number of cells whose values are means of short turns. Those of the others are of windows.
    pub of_turns: usize,
    /// Probability of such differences between turns by the level of the cell just before, if there is no carry-over. Null
    /// without short turns.
    pub carry_over: Option<f64>,
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

impl StudyTable {
    /// Returns the name of a column in a chart. A bare number has its axis, as charts have no heading for columns.
    pub(crate) fn column_name(&self, level: &str) -> String {
        level_name(&self.column_axis, level)
    }

    /// Returns the name of a row where charts have no axis for rows.
    pub(crate) fn row_name(&self, level: &str) -> String {
        level_name(&self.row_axis, level)
    }
}

fn level_name(axis: &str, level: &str) -> String {
    match level.parse::<f64>() {
        Ok(_) => format!("{axis} {level}"),
        Err(_) => level.to_owned(),
    }
}

/// Smallest effects that the comparisons of a table could have shown: whose intervals would not contain 1 (or 0, for a
/// difference) in 80 of 100 studies like this one.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct VisibleEffect {
    /// Median over the comparisons: a ratio above 1, or a difference above 0.
    pub median: f64,
    /// Largest of them.
    pub worst: f64,
}

/// Rows and columns for one combination of levels of the other axes.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Grid {
    /// These other axes and their levels. Axes with a single level are left out.
    pub of: Vec<(String, String)>,
    /// Another figure of these cells, for comparison. Null if the plan names none.
    pub reference: Option<Reference>,
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
    pub entries: Vec<CellEntry>,
}

/// Returns the tables of these cells of a study, as far as there are results.
pub fn tabulate(plan: &Plan, cells: &[Cell], results: &StudyResults) -> Vec<StudyTable> {
    let has_cells = |spec: &&TableSpec| cells.iter().any(|cell| spec.has(cell));
    let specs = plan.tables.iter().filter(has_cells);
    let specs = specs.filter(|spec| !is_repeated(plan, spec, cells));
    specs.map(|spec| table(plan, spec, cells, results)).collect()
}

/// Returns whether a table would compare nothing, as all of its cells are baselines, and another one has its figures.
fn is_repeated(plan: &Plan, spec: &TableSpec, cells: &[Cell]) -> bool {
    let compares = |spec: &TableSpec| {
        cells
            .iter()
            .any(|cell| spec.has(cell) && !spec.is_baseline(cell, cell))
    };
    let has_all = |other: &TableSpec| cells.iter().all(|cell| other.has(cell) || !spec.has(cell));
    let others = plan.tables.iter().filter(|other| other.name != spec.name);
    let mut others = others.filter(|other| other.figure == spec.figure && has_all(other));
    !spec.baseline.is_empty() && !compares(spec) && others.any(compares)
}

fn table(plan: &Plan, spec: &TableSpec, cells: &[Cell], results: &StudyResults) -> StudyTable {
    let all = cells;
    let cells: Vec<&Cell> = all.iter().filter(|cell| spec.has(cell)).collect();
    let baselines: Vec<Baseline<'_>> = cells.iter().map(|cell| baseline(spec, cell, &cells)).collect();
    let values: Vec<CellValues> = cells
        .iter()
        .map(|cell| values(&spec.figure, cell, results))
        .collect();
    let pairs = cells.iter().zip(&baselines);
    let pairs: Vec<Vec<Pair>> = pairs
        .map(|(cell, baseline)| pairs_with(spec, cell, baseline, results))
        .collect();
    let (intervals, comparisons) = (intervals(spec, &values), compare_cells(&pairs, spec.compare));
    let of_turns = |cell: &&&Cell| is_of_turns(&spec.figure, cell, results);
    let entries = cells.iter().enumerate().map(|(at, cell)| {
        let inference = Inference {
            baseline: baselines[at],
            values: &values[at].values,
            interval: intervals[at],
            comparison: comparisons[at],
            verdict: verdict(spec, cell, &pairs[at], comparisons[at]),
        };
        (*cell, entry(spec, cell, results, &inference))
    });
    let mut grids = grids(plan, spec, entries.collect());
    for grid in &mut grids {
        grid.reference = reference(spec, &grid.of, &cells, results);
    }
    StudyTable {
        name: spec.name.clone(),
        title: spec.title.clone(),
        figure: spec.figure.to_string(),
        compare: (!spec.baseline.is_empty()).then_some(spec.compare),
        statistic: spec.statistic,
        baseline: spec.baseline.clone(),
        comparisons: comparisons.iter().flatten().filter(|one| one.p.is_some()).count(),
        visible: visible(&comparisons),
        aim: cells.iter().filter_map(|cell| cell.effect).reduce(f64::min),
        of_turns: cells.iter().filter(of_turns).count(),
        carry_over: carry_over_of(spec, all, &cells, results).map(nine_digits),
        row_axis: spec.rows.clone(),
        column_axis: spec.columns.clone(),
        grids,
        unit: spec.figure.unit(),
    }
}

/// Returns the interval of each cell. Counts of rare events are often 0, which a t interval cannot handle: their mean has an
/// exact Poisson interval, their median none.
fn intervals(spec: &TableSpec, values: &[CellValues]) -> Vec<Option<Interval>> {
    match (spec.figure.unit(), spec.statistic) {
        (Unit::Count, Statistic::Mean) => poisson_intervals(values),
        (Unit::Count, Statistic::Median) => vec![None; values.len()],
        _ => t_intervals(values, spec.statistic),
    }
}

fn baseline<'a>(spec: &TableSpec, cell: &Cell, cells: &[&'a Cell]) -> Baseline<'a> {
    if spec.baseline.is_empty() || spec.is_baseline(cell, cell) {
        return Baseline::None;
    }
    let mut cells = cells.iter();
    let found = cells.find(|other| spec.is_baseline(other, cell));
    found.map_or(Baseline::Absent, |cell| Baseline::Cell(cell))
}

/// Returns the pairs of a cell and its baseline; none without a baseline.
fn pairs_with(spec: &TableSpec, cell: &Cell, baseline: &Baseline<'_>, results: &StudyResults) -> Vec<Pair> {
    match baseline {
        Baseline::Cell(baseline) => pairs(&spec.figure, cell, baseline, results),
        _ => Vec::new(),
    }
}

/// Judges a comparison as `logtrace compare` does.
fn verdict(
    spec: &TableSpec,
    cell: &Cell,
    pairs: &[Pair],
    compared: Option<TestedDifference>,
) -> Option<Verdict> {
    let baselines: Vec<f64> = pairs.iter().map(|pair| pair.baseline).collect();
    let share = cell.effect.unwrap_or(SMALLEST_CHANGE);
    let smallest = match spec.compare {
        DifferenceScale::Ratio => share,
        DifferenceScale::Difference => share * mean(&baselines)?,
    };
    Some(compared?.verdict(spec.compare, smallest))
}

/// Returns the smallest effects that the comparisons could have shown.
fn visible(comparisons: &[Option<TestedDifference>]) -> Option<VisibleEffect> {
    let visible = comparisons.iter().flatten().filter_map(|one| one.visible);
    let visible: Vec<f64> = visible.collect();
    Some(VisibleEffect {
        median: nine_digits(median(&visible)?),
        worst: nine_digits(visible.iter().copied().fold(f64::MIN, f64::max)),
    })
}

/// Arranges the entries of cells in grids.
fn grids(plan: &Plan, spec: &TableSpec, entries: Vec<(&Cell, CellEntry)>) -> Vec<Grid> {
    let level = |cell: &Cell, axis: &str| cell.level(axis).unwrap_or_default().to_owned();
    // Levels that the cells have, in the order of the plan.
    let present = |axis: &Axis| -> Vec<String> {
        let names = axis.levels.iter().map(|level| level.name.clone());
        let has = |name: &String| {
            entries
                .iter()
                .any(|(cell, _)| cell.level(&axis.name) == Some(name))
        };
        names.filter(has).collect()
    };
    let (mut rows, mut columns, mut others) = (Vec::new(), Vec::new(), Vec::new());
    for axis in &plan.axes {
        match present(axis) {
            levels if axis.name == spec.rows => rows = levels,
            levels if axis.name == spec.columns => columns = levels,
            levels if levels.len() > 1 => others.push(&axis.name),
            _ => {}
        }
    }
    let (mut grids, mut by_levels) = (Vec::new(), BTreeMap::new());
    for (cell, entry) in entries {
        let of: Vec<(String, String)> = others
            .iter()
            .map(|axis| ((*axis).clone(), level(cell, axis)))
            .collect();
        if !grids.contains(&of) {
            grids.push(of.clone());
        }
        by_levels.insert((of, level(cell, &spec.rows), level(cell, &spec.columns)), entry);
    }
    let grids = grids.into_iter().map(|of| {
        let mut entry = |row: &String, column: &String| {
            let entry = by_levels.remove(&(of.clone(), row.clone(), column.clone()));
            entry.unwrap_or(CellEntry::Absent)
        };
        let rows = rows.iter().map(|row| Row {
            level: row.clone(),
            entries: columns.iter().map(|column| entry(row, column)).collect(),
        });
        Grid {
            rows: rows.collect(),
            columns: columns.clone(),
            reference: None,
            of,
        }
    });
    grids.collect()
}

impl Grid {
    /// Returns the entries with their rows and columns.
    pub(crate) fn entries(&self) -> impl Iterator<Item = (&str, &str, &CellEntry)> + Clone {
        self.rows.iter().flat_map(|row| {
            let entries = self.columns.iter().zip(&row.entries);
            entries.map(move |(column, entry)| (row.level.as_str(), column.as_str(), entry))
        })
    }
}
