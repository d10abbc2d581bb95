//! Commits and their causes over time, for pictures and for any part of a run.

mod cube;
pub(crate) mod document;
mod packed;
pub(crate) mod recent;
mod slowest;
pub(crate) mod totals;
