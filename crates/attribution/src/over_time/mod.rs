//! Commits and their causes over time, for pictures and for any part of a run.

pub(crate) mod bands;
pub(crate) mod column_sums;
mod cube;
pub(crate) mod document;
pub(crate) mod exemplars;
mod packed;
pub(crate) mod recent;
pub(crate) mod stack_row;
pub(crate) mod stalls;
pub(crate) mod totals;
pub(crate) mod under_way;
pub(crate) mod waited_for;
