//! Tables that a plan asks for.

use logtrace_driver::FileError;
use logtrace_statistics::{Compare, Statistic};

use crate::cell::Cell;
use crate::plan::axis::Axis;
use crate::plan::level_filter::{LevelFilter, checked, find_axis};
use crate::plan::plan_file::PlanFile;
use crate::plan::syntax::TableText;
use crate::results::figure::Figure;

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
        let name = text.name.get_ref();
        let figure: Result<Figure, _> = text.figure.get_ref().parse();
        let figure = figure.map_err(|error| source.error(text.figure.span(), error.to_string()))?;
        let rows = &find_axis(source, &text.rows, axes)?.name;
        let columns = &find_axis(source, &text.columns, axes)?.name;
        if rows == columns {
            let problem = "rows and columns are the same axis: name two different axes";
            return Err(source.error(text.columns.span(), problem));
        }
        let baseline = checked(source, &text.baseline, axes)?.into_iter();
        let baseline = baseline.map(|filter| match filter.levels.as_slice() {
            [level] => Ok((filter.axis, level.clone())),
            _ => Err(source.error_at(filter.line, "a baseline has one level for each axis: name one")),
        });
        Ok(Self {
            name: name.clone(),
            title: text.title.as_ref().unwrap_or(name).clone(),
            figure,
            statistic: text.statistic,
            compare: text.compare,
            rows: rows.clone(),
            columns: columns.clone(),
            baseline: baseline.collect::<Result<_, _>>()?,
            levels: checked(source, &text.levels, axes)?,
            line: source.line(text.figure.span()),
        })
    }

    /// Fails if a cell cannot have the figure.
    pub(crate) fn check(&self, source: &PlanFile<'_>, cells: &[Cell]) -> Result<(), FileError> {
        for cell in cells.iter().filter(|cell| self.has(cell)) {
            let why = if self.figure == Figure::Nopm && cell.requests.tpcc().is_none() {
                "its workload is not tpcc: choose another figure"
            } else if self.figure.is_traced() && cell.detail.is_none() {
                "it is not traced: remove detail = \"none\", or choose another figure"
            } else if matches!(self.figure, Figure::Stage(_)) && !cell.stages {
                "it has no stages: write stages = true in [base]"
            } else {
                continue;
            };
            let problem = format!("the cell {} has no {}, because {why}", cell.key, self.figure);
            return Err(source.error_at(self.line, problem));
        }
        Ok(())
    }
}
