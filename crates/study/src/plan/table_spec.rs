//! Tables that a plan asks for.

use std::collections::BTreeMap;

use logtrace_common::FileError;
use logtrace_statistics::{DifferenceScale, Statistic};
use toml::Spanned;

use crate::cell::Cell;
use crate::plan::axis::Axis;
use crate::plan::level_filter::{LevelFilter, checked, find_axis};
use crate::plan::plan_file::PlanFile;
use crate::plan::syntax::{RatiosText, TableText};
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
    /// Figure with the same unit that the charts have as a line.
    pub reference: Option<Figure>,
    /// Statistic that turns the repeats of a cell into one number.
    pub statistic: Statistic,
    /// Comparison of cells with the baseline.
    pub compare: DifferenceScale,
    /// Axis with a level for each row.
    pub rows: String,
    /// Axis with a level for each column.
    pub columns: String,
    /// Axes and the level that they have in the baseline of a cell. Empty if nothing is compared.
    pub baseline: Vec<(String, String)>,
    /// Axes of which the table has only some levels.
    pub levels: Vec<LevelFilter>,
    /// Ratios that others published, to be shown beside those of the study.
    pub published: Vec<PublishedRatios>,
    /// Whether the throughput of each cell is drawn over time.
    pub over_time: bool,
    /// Line of the figure in the plan, from 1.
    pub line: usize,
}

/// Ratios to the baseline that others published.
#[derive(Clone, Debug)]
pub struct PublishedRatios {
    /// Short name of the publication, such as its year.
    pub source: String,
    /// Levels of the cells that were published.
    pub levels: Vec<LevelFilter>,
    /// Ratios by the levels of row and column.
    pub ratios: BTreeMap<(String, String), f64>,
}

impl TableSpec {
    /// Returns whether a cell is in the table.
    pub fn has(&self, cell: &Cell) -> bool {
        self.levels.iter().all(|choice| choice.matches(cell))
    }

    /// Returns whether the table has this figure, or its charts do.
    pub fn shows(&self, figure: &Figure) -> bool {
        self.figure == *figure || self.reference.as_ref() == Some(figure)
    }

    /// Returns the published ratio of a cell, and the publication.
    pub fn published_ratio(&self, cell: &Cell) -> Option<(&str, f64)> {
        let level = |axis: &str| cell.level(axis).unwrap_or_default().to_owned();
        let place = (level(&self.rows), level(&self.columns));
        self.published.iter().find_map(|one| {
            let is_meant = one.levels.iter().all(|filter| filter.matches(cell));
            let ratio = one.ratios.get(&place).filter(|_| is_meant)?;
            Some((one.source.as_str(), *ratio))
        })
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
        let figure = read_figure(source, &text.figure)?;
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
        let published = text.published.iter();
        let published = published.map(|one| PublishedRatios::read(source, one, text, axes));
        Ok(Self {
            name: name.clone(),
            title: text.title.as_ref().unwrap_or(name).clone(),
            reference: read_reference(source, text, &figure)?,
            figure,
            statistic: text.statistic,
            compare: text.compare,
            rows: rows.clone(),
            columns: columns.clone(),
            baseline: baseline.collect::<Result<_, _>>()?,
            levels: checked(source, &text.levels, axes)?,
            published: published.collect::<Result<_, _>>()?,
            over_time: text.over_time,
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

impl PublishedRatios {
    /// Reads a `[[table.published]]` of a plan.
    fn read(
        source: &PlanFile<'_>,
        text: &RatiosText,
        table: &TableText,
        axes: &[Axis],
    ) -> Result<Self, FileError> {
        if table.baseline.is_empty() || table.compare != DifferenceScale::Ratio {
            let problem = "published ratios need a table with ratios: give it a baseline, or leave them out";
            return Err(source.error(text.columns.span(), problem));
        }
        Ok(Self {
            source: text.source.clone(),
            levels: checked(source, &text.levels, axes)?,
            ratios: Self::ratios(source, text, table, axes)?,
        })
    }

    /// Reads the ratios by the levels of row and column.
    fn ratios(
        source: &PlanFile<'_>,
        text: &RatiosText,
        table: &TableText,
        axes: &[Axis],
    ) -> Result<BTreeMap<(String, String), f64>, FileError> {
        let column_axis = find_axis(source, &table.columns, axes)?;
        let row_axis = find_axis(source, &table.rows, axes)?;
        let columns = text.columns.get_ref();
        for column in columns {
            let level = column_axis.level(column);
            level.map_err(|problem| source.error(text.columns.span(), problem))?;
        }
        let mut ratios = BTreeMap::new();
        for (row, numbers) in &text.rows {
            let level = row_axis.level(row.get_ref());
            level.map_err(|problem| source.error(row.span(), problem))?;
            let values = numbers.get_ref();
            if values.len() != columns.len() || values.iter().any(|ratio| *ratio <= 0.0) {
                let problem = "a row needs a ratio above 0 for each column";
                return Err(source.error(numbers.span(), problem));
            }
            let places = columns
                .iter()
                .map(|column| (row.get_ref().clone(), column.clone()));
            ratios.extend(places.zip(values.iter().copied()));
        }
        Ok(ratios)
    }
}

fn read_figure(source: &PlanFile<'_>, text: &Spanned<String>) -> Result<Figure, FileError> {
    let figure: Result<Figure, _> = text.get_ref().parse();
    figure.map_err(|error| source.error(text.span(), error.to_string()))
}

/// Reads the reference of a table, which has the unit of the table's figure.
fn read_reference(
    source: &PlanFile<'_>,
    text: &TableText,
    figure: &Figure,
) -> Result<Option<Figure>, FileError> {
    let Some(reference) = &text.reference else {
        return Ok(None);
    };
    let read = read_figure(source, reference)?;
    if read.unit() == figure.unit() {
        return Ok(Some(read));
    }
    let problem = format!("{read} has another unit than {figure}: choose a reference with the same unit");
    Err(source.error(reference.span(), problem))
}
