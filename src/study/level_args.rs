//! Argument `--only`: levels of axes.

use std::str::FromStr;

use logtrace_study::{Axis, Cell};

use crate::exit::UsageError;

/// Level to measure. Other levels of its axis are left out unless another argument names them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct LevelArg {
    axis: String,
    level: String,
}

impl FromStr for LevelArg {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text.split_once('=') {
            Some((axis, level)) if !axis.trim().is_empty() && !level.trim().is_empty() => Ok(Self {
                axis: axis.trim().to_owned(),
                level: level.trim().to_owned(),
            }),
            _ => Err(format!(
                "{text:?} is not a level: write AXIS=LEVEL, such as server=mysql"
            )),
        }
    }
}

impl std::fmt::Display for LevelArg {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}={}", self.axis, self.level)
    }
}

/// Returns the cells with the chosen levels. Fails if there is none.
pub(crate) fn chosen_cells(
    only: &[LevelArg],
    axes: &[Axis],
    cells: &[Cell],
) -> Result<Vec<Cell>, UsageError> {
    for one in only {
        check(one, axes)?;
    }
    let is_chosen = |cell: &&Cell| {
        cell.levels.iter().all(|(axis, level)| {
            let mut named = only.iter().filter(|one| one.axis == *axis).peekable();
            named.peek().is_none() || named.any(|one| one.level == *level)
        })
    };
    let cells: Vec<Cell> = cells.iter().filter(is_chosen).cloned().collect();
    match cells.is_empty() {
        true => Err(UsageError(
            "--only leaves no cell: the plan excludes this combination of levels, or this scale does not have all of them \
             (`logtrace study show` lists the cells)"
                .to_owned(),
        )),
        false => Ok(cells),
    }
}

fn check(one: &LevelArg, axes: &[Axis]) -> Result<(), UsageError> {
    let quoted = |names: Vec<&str>| names.join(", ");
    let Some(axis) = axes.iter().find(|axis| axis.name == one.axis) else {
        let names = quoted(axes.iter().map(|axis| axis.name.as_str()).collect());
        return Err(UsageError(format!(
            "--only {one}: the plan has no axis {}: choose {names}",
            one.axis
        )));
    };
    if axis.level(&one.level).is_none() {
        let names = quoted(axis.levels.iter().map(|level| level.name.as_str()).collect());
        return Err(UsageError(format!(
            "--only {one}: the axis {} has no level {}: choose {names}",
            one.axis, one.level
        )));
    }
    Ok(())
}
