//! Parts that the tests of several crates share.
//!
//! - [`chi_square`]: Pearson's test of what was drawn against the shares it was drawn from.

pub mod chi_square;
