//! Tables that a plan asks for, and tables that others published.

use std::str::FromStr;

use logtrace_driver::FileError;
use schemars::JsonSchema;
use serde::Serialize;
use strum::VariantNames;

use crate::cell::Cell;
use crate::plan::axis::Axis;
use crate::plan::level_filter::{LevelFilter, checked, find_axis};
use crate::plan::option_layers::{self, scalar};
use crate::plan::plan_file::PlanFile;
use crate::plan::syntax::{PublishedText, TableText};
use crate::results::figure::Figure;
use crate::stats::paired_test::Compare;
use crate::stats::statistic::Statistic;

/// Table: a figure by the levels of two axes, once for each combination of the levels of the others.
#[derive(Clone, Debug)]
pub struct TableSpec {
    /// Name.
    pub name: String,
    /// Heading.
    pub title: String,
    /// Figure in the table.
    pub figure: Figure,
    /// Statistic that turns the repeats of a cell into one number.
    pub statistic: Statistic,
    /// Comparison of cells with the baseline.
    pub compare: Compare,
    /// Axis with a level for each row.
    pub rows: String,
    /// Axis with a level for each column.
    pub columns: String,
    /// Axes and the level that they have in the baseline of a cell. Empty if nothing is compared.
    pub baseline: Vec<(String, String)>,
    /// Axes of which the table has only some levels.
    pub levels: Vec<LevelFilter>,
    /// Line of the figure in the plan, from 1.
    pub line: usize,
}

/// Published table: context for the results, never a target.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Published {
    /// Heading.
    pub title: String,
    /// Publication.
    pub source: String,
    /// Hardware of the measurement.
    pub hardware: String,
    /// Further remarks; may be empty.
    pub note: String,
    /// Headings of the columns.
    pub columns: Vec<String>,
    /// Rows of cells. Each row has as many cells as there are columns.
    pub rows: Vec<Vec<String>>,
}

impl TableSpec {
    /// Returns whether a cell is in the table.
    pub fn has(&self, cell: &Cell) -> bool {
        self.levels.iter().all(|choice| choice.matches(cell))
    }

    /// Returns whether `baseline` is the baseline of `of`: they differ in the axes of the baseline only.
    pub fn is_baseline(&self, baseline: &Cell, of: &Cell) -> bool {
        let mut levels = baseline.levels.iter().zip(&of.levels);
        levels.all(|((axis, level), (_, other))| {
            let fixed = self.baseline.iter().find(|(name, _)| name == axis);
            fixed.map_or(level == other, |(_, fixed)| level == fixed)
        })
    }

    /// Reads a `[[table]]` of a plan.
    pub(crate) fn read(source: &PlanFile<'_>, text: &TableText, axes: &[Axis]) -> Result<Self, FileError> {
        let figure: Result<Figure, _> = text.figure.get_ref().parse();
        let figure = figure.map_err(|error| source.error(text.figure.span(), error.to_string()))?;
        let spec = Self {
            name: text.name.get_ref().clone(),
            title: text.title.clone().unwrap_or_else(|| text.name.get_ref().clone()),
            statistic: word(source, text.statistic.as_ref())?,
            compare: word(source, text.compare.as_ref())?,
            rows: find_axis(source, &text.rows, axes)?.name.clone(),
            columns: find_axis(source, &text.columns, axes)?.name.clone(),
            baseline: baseline(source, text, axes)?,
            levels: checked(source, &text.levels, axes)?,
            line: source.line(text.figure.span()),
            figure,
        };
        match spec.rows == spec.columns {
            true => Err(source.error(
                text.columns.span(),
                "rows and columns are the same axis: name two different axes",
            )),
            false => Ok(spec),
        }
    }

    /// Fails if a cell cannot have the figure.
    pub(crate) fn check(&self, source: &PlanFile<'_>, cells: &[Cell]) -> Result<(), FileError> {
        let error = |problem: String| Err(source.error_at(self.line, problem));
        for cell in cells.iter().filter(|cell| self.has(cell)) {
            if self.figure == Figure::Nopm && cell.requests.tpcc().is_none() {
                return error(format!(
                    "the cell {} has no nopm, because its workload is not tpcc: choose another figure",
                    cell.key
                ));
            }
            if self.figure.is_traced() && cell.detail.is_none() {
                return error(format!(
                    "the cell {} has no {1}, because it is not traced: remove detail = \"none\", or choose another figure",
                    cell.key, self.figure
                ));
            }
            if matches!(self.figure, Figure::Stage(_)) && !cell.stages {
                return error(format!(
                    "the cell {} has no stages: write stages = true in [base]",
                    cell.key
                ));
            }
        }
        Ok(())
    }
}

impl Published {
    /// Reads a `[[published]]` of a plan.
    pub(crate) fn read(source: &PlanFile<'_>, text: &PublishedText) -> Result<Self, FileError> {
        let mut rows = Vec::new();
        for row in text.rows.get_ref() {
            let cells: Option<Vec<String>> = row.iter().map(scalar).collect();
            let cells = cells.filter(|cells| cells.len() == text.columns.len());
            let problem = "each row needs as many texts or numbers as there are columns";
            rows.push(cells.ok_or_else(|| source.error(text.rows.span(), problem))?);
        }
        Ok(Self {
            title: text.title.clone(),
            source: text.source.clone(),
            hardware: text.hardware.clone(),
            note: text.note.clone(),
            columns: text.columns.clone(),
            rows,
        })
    }
}

/// Reads one of the names of an enum, or returns its default.
fn word<T: Default + FromStr + VariantNames>(
    source: &PlanFile<'_>,
    text: Option<&toml::Spanned<String>>,
) -> Result<T, FileError> {
    let Some(text) = text else {
        return Ok(T::default());
    };
    option_layers::word(text.get_ref()).map_err(|problem| source.error(text.span(), problem))
}

fn baseline(
    source: &PlanFile<'_>,
    text: &TableText,
    axes: &[Axis],
) -> Result<Vec<(String, String)>, FileError> {
    let choices = checked(source, &text.baseline, axes)?;
    let single = choices.into_iter().map(|choice| match choice.levels.as_slice() {
        [level] => Ok((choice.axis, level.clone())),
        _ => Err(source.error_at(choice.line, "a baseline has one level for each axis: name one")),
    });
    single.collect()
}
