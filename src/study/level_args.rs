//! `--only`: some levels of some axes; pure.

use std::str::FromStr;

use logtrace_study::{Axis, Cell};

use crate::exit::UsageError;

/// A level that shall be measured; levels of its axis that are not named so are not.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Only {
    axis: String,
    level: String,
}

impl FromStr for Only {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text.split_once('=') {
            Some((axis, level)) if !axis.trim().is_empty() && !level.trim().is_empty() => Ok(Self {
                axis: axis.trim().to_owned(),
                level: level.trim().to_owned(),
            }),
            _ => Err(format!(
                "{text:?} names no level: write AXIS=LEVEL, such as server=mysql"
            )),
        }
    }
}

impl std::fmt::Display for Only {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}={}", self.axis, self.level)
    }
}

/// The cells that have the chosen levels; at least one.
pub(crate) fn chosen(only: &[Only], axes: &[Axis], cells: &[Cell]) -> Result<Vec<Cell>, UsageError> {
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
            "--only leaves no cell: the plan excludes these levels together, or this scale has not all of them \
             (`logtrace study show` lists the cells)"
                .to_owned(),
        )),
        false => Ok(cells),
    }
}

fn check(one: &Only, axes: &[Axis]) -> Result<(), UsageError> {
    let quoted = |names: Vec<&str>| names.join(", ");
    let Some(axis) = axes.iter().find(|axis| axis.name == one.axis) else {
        let names = quoted(axes.iter().map(|axis| axis.name.as_str()).collect());
        return Err(UsageError(format!(
            "--only {one}: the plan has no axis {}, but {names}",
            one.axis
        )));
    };
    if axis.level(&one.level).is_none() {
        let names = quoted(axis.levels.iter().map(|level| level.name.as_str()).collect());
        return Err(UsageError(format!(
            "--only {one}: the axis {} has no level {}, but {names}",
            one.axis, one.level
        )));
    }
    Ok(())
}
