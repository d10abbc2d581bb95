//! Filters of cells by the levels of an axis.

use std::ops::Range;

use logtrace_driver::FileError;
use toml::Spanned;

use crate::cell::Cell;
use crate::plan::axis::Axis;
use crate::plan::plan_file::{PlanFile, listed};
use crate::plan::syntax::Choices;

/// Levels of an axis that a cell may have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LevelFilter {
    /// Axis.
    pub axis: String,
    /// Levels, at least one.
    pub levels: Vec<String>,
    /// Line of the plan, from 1.
    pub line: usize,
}

impl LevelFilter {
    /// Returns whether a cell has one of the levels.
    pub fn matches(&self, cell: &Cell) -> bool {
        cell.level(&self.axis).is_some_and(|level| self.has_level(level))
    }

    /// Returns whether this is one of the levels.
    pub(crate) fn has_level(&self, level: &str) -> bool {
        self.levels.iter().any(|known| known == level)
    }
}

/// Reads filters. Fails for unknown axes and levels.
pub(crate) fn checked(
    source: &PlanFile<'_>,
    choices: &Choices,
    axes: &[Axis],
) -> Result<Vec<LevelFilter>, FileError> {
    let filters = choices.iter().map(|(name, names)| {
        let line = source.line(name.span());
        let axis = find_axis(source, name, axes)?;
        let levels = &names.get_ref().0;
        if levels.is_empty() {
            return Err(source.error_at(
                line,
                format!(
                    "no level of the axis {} is named: name one, or leave the axis out",
                    axis.name
                ),
            ));
        }
        for level in levels {
            check_level(source, axis, level, names.span())?;
        }
        Ok(LevelFilter {
            axis: axis.name.clone(),
            levels: levels.clone(),
            line,
        })
    });
    filters.collect()
}

/// Returns the axis of this name. Fails if there is none.
pub(crate) fn find_axis<'a>(
    source: &PlanFile<'_>,
    name: &Spanned<String>,
    axes: &'a [Axis],
) -> Result<&'a Axis, FileError> {
    let found = axes.iter().find(|axis| axis.name == *name.get_ref());
    found.ok_or_else(|| {
        let known = listed(axes.iter().map(|axis| axis.name.as_str()));
        let problem = format!("there is no axis {:?}: the axes are {known}", name.get_ref());
        source.error(name.span(), problem)
    })
}

/// Fails if an axis has no level of this name.
pub(crate) fn check_level(
    source: &PlanFile<'_>,
    axis: &Axis,
    level: &str,
    span: Range<usize>,
) -> Result<(), FileError> {
    if axis.level(level).is_some() {
        return Ok(());
    }
    let known = listed(axis.levels.iter().map(|level| level.name.as_str()));
    let problem = format!("the axis {} has no level {level:?}: it has {known}", axis.name);
    Err(source.error(span, problem))
}
