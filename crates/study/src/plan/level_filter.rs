//! Filters of cells by the levels of an axis.

use logtrace_driver::FileError;

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
        let axis = axes.iter().find(|axis| axis.name == *name.get_ref());
        let axis = axis.ok_or_else(|| source.error_at(line, no_axis(name.get_ref(), axes)))?;
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
            if !axis.levels.iter().any(|known| known.name == *level) {
                return Err(source.error(names.span(), no_level(axis, level)));
            }
        }
        Ok(LevelFilter {
            axis: axis.name.clone(),
            levels: levels.clone(),
            line,
        })
    });
    filters.collect()
}

/// Says that there is no such axis.
pub(crate) fn no_axis(name: &str, axes: &[Axis]) -> String {
    let known = listed(axes.iter().map(|axis| axis.name.as_str()));
    format!("there is no axis {name:?}: the axes are {known}")
}

/// Says that an axis has no such level.
pub(crate) fn no_level(axis: &Axis, level: &str) -> String {
    let known = listed(axis.levels.iter().map(|level| level.name.as_str()));
    format!("the axis {} has no level {level:?}: it has {known}", axis.name)
}
