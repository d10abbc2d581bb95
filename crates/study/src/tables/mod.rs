//! Tables of a study: figures of its cells, with intervals, comparisons and causes.

pub(crate) mod caption;
pub(crate) mod cause_share;
pub(crate) mod cell_entry;
pub(crate) mod observations;
pub(crate) mod reference;
pub(crate) mod stage_table;
pub(crate) mod study_table;
