//! What a plan wants tabulated.

use logtrace_driver::FileError;
use serde::Serialize;

use crate::cell::{Cell, Detail};
use crate::plan::axis::Axis;
use crate::plan::level_filter::{Choice, checked};
use crate::plan::plan_file::Source;
use crate::plan::syntax::{PublishedText, TableText};
use crate::results::figure::Figure;

/// One table: a figure by the levels of two axes, once for each combination of the levels of the others.
#[derive(Clone, Debug)]
pub struct TableSpec {
    /// Its name.
    pub name: String,
    /// Its heading.
    pub title: String,
    /// What is tabulated.
    pub figure: Figure,
    /// How the repeats of a cell become one number.
    pub statistic: Statistic,
    /// How cells are compared with the baseline.
    pub compare: Compare,
    /// The axis whose levels are rows.
    pub rows: String,
    /// The axis whose levels are columns.
    pub columns: String,
    /// Axes and the level that they have in a cell's baseline; empty: nothing is compared.
    pub baseline: Vec<(String, String)>,
    /// Axes of which only some levels are in the table.
    pub levels: Vec<Choice>,
    /// The line of its figure in the plan, from 1.
    pub line: usize,
}

/// How repeats become one number.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Statistic {
    /// The median.
    #[default]
    Median,
    /// The arithmetic mean.
    Mean,
}

/// How two cells are compared.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Compare {
    /// The one divided by the other.
    #[default]
    Ratio,
    /// The one less the other.
    Difference,
}

/// A published table: context for ours, never a target.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Published {
    /// Its heading.
    pub title: String,
    /// Where it was published.
    pub source: String,
    /// On what it was measured.
    pub hardware: String,
    /// What else to know.
    pub note: String,
    /// The heading of each column.
    pub columns: Vec<String>,
    /// Cells, as many in each row as there are columns.
    pub rows: Vec<Vec<String>>,
}

impl Statistic {
    /// Its name in plans and tables.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Median => "median",
            Self::Mean => "mean",
        }
    }
}

impl Compare {
    /// Its name in plans and tables.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Ratio => "ratio",
            Self::Difference => "difference",
        }
    }
}

impl TableSpec {
    /// Whether a cell is in the table.
    pub fn has(&self, cell: &Cell) -> bool {
        self.levels.iter().all(|choice| choice.takes(cell))
    }

    /// Whether one cell is the other's baseline: they differ by no more than the axes of the baseline.
    pub fn is_baseline(&self, baseline: &Cell, of: &Cell) -> bool {
        let mut levels = baseline.levels.iter().zip(&of.levels);
        levels.all(|((axis, level), (_, other))| {
            let fixed = self.baseline.iter().find(|(name, _)| name == axis);
            fixed.map_or(level == other, |(_, fixed)| level == fixed)
        })
    }

    pub(crate) fn read(source: &Source<'_>, text: &TableText, axes: &[Axis]) -> Result<Self, FileError> {
        let figure: Result<Figure, _> = text.figure.get_ref().parse();
        let figure = figure.map_err(|error| source.error(text.figure.span(), error.to_string()))?;
        let statistics = [Statistic::Median, Statistic::Mean].map(|word| (word.as_str(), word));
        let compares = [Compare::Ratio, Compare::Difference].map(|word| (word.as_str(), word));
        let spec = Self {
            name: text.name.get_ref().clone(),
            title: text.title.clone().unwrap_or_else(|| text.name.get_ref().clone()),
            statistic: word(source, text.statistic.as_ref(), &statistics)?,
            compare: word(source, text.compare.as_ref(), &compares)?,
            rows: axis(source, &text.rows, axes)?,
            columns: axis(source, &text.columns, axes)?,
            baseline: baseline(source, text, axes)?,
            levels: checked(source, &text.levels, axes)?,
            line: source.line(text.figure.span()),
            figure,
        };
        match spec.rows == spec.columns {
            true => Err(source.error(
                text.columns.span(),
                "rows and columns are the same axis: name two",
            )),
            false => Ok(spec),
        }
    }

    /// Refuses a figure that the cells cannot have, and a baseline that is not among them.
    pub(crate) fn check(&self, source: &Source<'_>, cells: &[Cell]) -> Result<(), FileError> {
        let error = |problem: String| Err(source.error_at(self.line, problem));
        for cell in cells.iter().filter(|cell| self.has(cell)) {
            if self.figure == Figure::Nopm && cell.requests.tpcc().is_none() {
                return error(format!(
                    "{} has no nopm, its workload is not tpcc: take another figure",
                    cell.key
                ));
            }
            if self.figure.is_traced() && cell.detail == Detail::None {
                return error(format!(
                    "{} is not traced, and has no {}: raise its detail",
                    cell.key, self.figure
                ));
            }
            if matches!(self.figure, Figure::Stage(_)) && !cell.stages {
                return error(format!(
                    "{} has no stages: write stages = true in [base]",
                    cell.key
                ));
            }
        }
        Ok(())
    }
}

impl Published {
    pub(crate) fn read(source: &Source<'_>, text: &PublishedText) -> Result<Self, FileError> {
        let mut rows = Vec::new();
        for row in text.rows.get_ref() {
            let cells: Option<Vec<String>> = row.iter().map(crate::plan::option_layers::scalar).collect();
            let cells = cells.filter(|cells| cells.len() == text.columns.len());
            let problem = "each row has as many texts or numbers as there are columns";
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

fn word<T: Copy + Default>(
    source: &Source<'_>,
    text: Option<&toml::Spanned<String>>,
    words: &[(&str, T)],
) -> Result<T, FileError> {
    let Some(text) = text else {
        return Ok(T::default());
    };
    let found = words.iter().find(|(word, _)| word == text.get_ref());
    let found = found.ok_or_else(|| {
        let known: Vec<String> = words.iter().map(|(word, _)| format!("{word:?}")).collect();
        let problem = format!("{:?} is not known: write {}", text.get_ref(), known.join(" or "));
        source.error(text.span(), problem)
    })?;
    Ok(found.1)
}

fn axis(source: &Source<'_>, name: &toml::Spanned<String>, axes: &[Axis]) -> Result<String, FileError> {
    match axes.iter().any(|axis| axis.name == *name.get_ref()) {
        true => Ok(name.get_ref().clone()),
        false => Err(source.error(
            name.span(),
            crate::plan::level_filter::no_axis(name.get_ref(), axes),
        )),
    }
}

fn baseline(
    source: &Source<'_>,
    text: &TableText,
    axes: &[Axis],
) -> Result<Vec<(String, String)>, FileError> {
    let choices = checked(source, &text.baseline, axes)?;
    let single = choices.into_iter().map(|choice| match choice.levels.as_slice() {
        [level] => Ok((choice.axis, level.clone())),
        _ => Err(source.error_at(choice.line, "a baseline has one level of an axis: name one")),
    });
    single.collect()
}
