//! Statistics over the repeats of a cell: one method for all intervals and tests.
//!
//! A cell is measured a few times only, so the variances of all cells of a table moderate one another
//! ([`variance_shrinkage`]), and every interval and every test is a t statistic with that variance ([`standard_error`]).
//! Counts of rare events have exact Poisson intervals, wider where they scatter more.

pub(crate) mod confidence_interval;
#[cfg(test)]
mod coverage;
pub(crate) mod descriptive;
pub(crate) mod paired_test;
pub(crate) mod poisson_interval;
pub(crate) mod standard_error;
pub(crate) mod statistic;
pub(crate) mod variance_shrinkage;
