//! Filters of cells by the levels of an axis.

use logtrace_common::FileError;
use toml::Spanned;

use crate::cell::Cell;
use crate::plan::axis::Axis;
use crate::plan::plan_file::PlanFile;
use crate::plan::syntax::LevelsByAxis;

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
    choices: &LevelsByAxis,
    axes: &[Axis],
) -> Result<Vec<LevelFilter>, FileError> {
    let filters = choices.iter().map(|(name, names)| {
        let line = source.line(name.span());
        let axis = find_axis(source, name, axes)?;
        let levels = &names.get_ref().0;
        if levels.is_empty() {
            let problem = format!(
                "no level of the axis {} is named: name one, or leave the axis out",
                axis.name
            );
            return Err(source.error_at(line, problem));
        }
        for level in levels {
            let found = axis.level(level);
            found.map_err(|problem| source.error(names.span(), problem))?;
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
    Axis::find(axes, name.get_ref()).map_err(|problem| source.error(name.span(), problem))
}
