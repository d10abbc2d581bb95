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
mod variables;

pub(crate) use self::advised::advised;
pub use self::variables::governing_variables;

#[cfg(test)]
mod tests;
