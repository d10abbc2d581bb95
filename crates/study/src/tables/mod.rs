//! Tables of a study.

pub(crate) mod cell_entry;
pub(crate) mod study_table;
