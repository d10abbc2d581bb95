//! Advice: what to change for the largest causes, how much time it is about, and its price.
//!
//! The time is that of the causes that a change is about. It is not what the change saves: commits may wait for something else
//! instead, and without some calls others on the same device are faster. docs/reports.md has what was measured.

mod advised;
mod governed;
mod outside;
mod rule;
mod rules;
#[cfg(test)]
mod samples;

pub(crate) use self::advised::advised;

use self::rules::RULES;

/// Returns the variables that govern causes, and so have to be in `run.json`: each has the name of some version of a server.
pub fn governing_variables() -> impl Iterator<Item = &'static str> {
    RULES.iter().flat_map(|rule| {
        let conditions = rule.when.iter().map(|(variable, _)| *variable);
        rule.variables.iter().copied().chain(conditions)
    })
}

#[cfg(test)]
mod tests;
