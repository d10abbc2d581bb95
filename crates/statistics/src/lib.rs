//! Intervals and tests over repeats and time series: one method for all.
//!
//! A cell of a study is measured a few times only, so the variances of all cells of a table moderate one another
//! (`variance_shrinkage`), and every interval and every test is a t statistic with that variance (`standard_error`).
//! Counts of rare events have exact Poisson intervals, wider where they scatter more, and shares exact binomial ones. The mean of a time series has the error
//! that the correlation of its neighbours leaves (`time_series`). Whether the cell before matters is tested by `carry_over`.
//! A figure that is declared before it is measured is tested for itself (`compare_alone`), and parts of a whole along their tree
//! (`tree_test`). Studies and comparisons of runs judge by the same `verdict`.

mod carry_over;
mod confidence_interval;
#[cfg(test)]
mod coverage;
mod descriptive;
#[cfg(test)]
mod interleaving;
mod paired_test;
mod poisson_interval;
mod share_interval;
mod standard_error;
mod statistic;
mod time_series;
mod tree_test;
mod variance_shrinkage;
mod verdict;

pub use carry_over::{TurnValue, carry_over};
pub use confidence_interval::{CellValues, Interval, t_intervals, with_interval};
pub use descriptive::{mean, median, variance};
pub use paired_test::{
    DifferenceScale, Pair, TestedDifference, compare_alone, compare_cells, mark_significant,
};
pub use poisson_interval::poisson_intervals;
pub use share_interval::share_interval;
pub use standard_error::StandardError;
pub use statistic::Statistic;
pub use time_series::{error_of_mean, series_error};
pub use tree_test::{TreeTest, test_tree};
pub use verdict::{SMALLEST_CHANGE, Verdict};
