//! Levels that a plan names by their axis.

use logtrace_driver::FileError;

use crate::cell::Cell;
use crate::plan::axis::Axis;
use crate::plan::plan_file::{Source, listed};
use crate::plan::syntax::Choices;

/// Some levels of an axis.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Choice {
    /// The axis.
    pub axis: String,
    /// The levels, at least one.
    pub levels: Vec<String>,
    /// The line of the plan, from 1.
    pub line: usize,
}

impl Choice {
    /// Whether a cell has one of the levels.
    pub fn takes(&self, cell: &Cell) -> bool {
        cell.level(&self.axis)
            .is_some_and(|level| self.takes_level(level))
    }

    pub(crate) fn takes_level(&self, level: &str) -> bool {
        self.levels.iter().any(|known| known == level)
    }
}

/// The choices, all of them of axes and levels that there are.
pub(crate) fn checked(
    source: &Source<'_>,
    choices: &Choices,
    axes: &[Axis],
) -> Result<Vec<Choice>, FileError> {
    let choices = choices.iter().map(|(name, names)| {
        let line = source.line(name.span());
        let axis = axes.iter().find(|axis| axis.name == *name.get_ref());
        let axis = axis.ok_or_else(|| source.error_at(line, no_axis(name.get_ref(), axes)))?;
        let levels = &names.get_ref().0;
        if levels.is_empty() {
            return Err(source.error_at(
                line,
                format!("no level of {} is named: name one, or leave it out", axis.name),
            ));
        }
        for level in levels {
            if !axis.levels.iter().any(|known| known.name == *level) {
                return Err(source.error(names.span(), no_level(axis, level)));
            }
        }
        Ok(Choice {
            axis: axis.name.clone(),
            levels: levels.clone(),
            line,
        })
    });
    choices.collect()
}

pub(crate) fn no_axis(name: &str, axes: &[Axis]) -> String {
    let known = listed(axes.iter().map(|axis| axis.name.as_str()));
    format!("there is no axis {name:?}: the axes are {known}")
}

pub(crate) fn no_level(axis: &Axis, level: &str) -> String {
    let known = listed(axis.levels.iter().map(|level| level.name.as_str()));
    format!("the axis {} has no level {level:?}: it has {known}", axis.name)
}
