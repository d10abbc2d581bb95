//! Statistics over the repeats of a cell.

pub(crate) mod confidence_interval;
pub(crate) mod descriptive;
pub(crate) mod paired_test;
pub(crate) mod variance_shrinkage;
