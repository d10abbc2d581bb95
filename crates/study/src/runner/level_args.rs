//! Argument `--only`: levels of axes.

use std::fmt;
use std::str::FromStr;

use logtrace_measure::errors::UsageError;

use crate::cell::Cell;
use crate::plan::axis::Axis;

/// Level to measure. Other levels of its axis are left out unless another argument names them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LevelArg {
    axis: String,
    level: String,
}

impl FromStr for LevelArg {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (axis, level) = text.split_once('=').unwrap_or_default();
        let (axis, level) = (axis.trim().to_owned(), level.trim().to_owned());
        match axis.is_empty() || level.is_empty() {
            true => Err(format!(
                "{text:?} is not a level: write AXIS=LEVEL, such as server=mysql"
            )),
            false => Ok(Self { axis, level }),
        }
    }
}

impl fmt::Display for LevelArg {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}={}", self.axis, self.level)
    }
}

/// Returns the cells with the chosen levels. Fails if there is none.
pub fn chosen_cells(only: &[LevelArg], axes: &[Axis], cells: &[Cell]) -> Result<Vec<Cell>, UsageError> {
    for one in only {
        let level = Axis::find(axes, &one.axis).and_then(|axis| axis.level(&one.level));
        level.map_err(|problem| UsageError(format!("--only {one}: {problem}")))?;
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
