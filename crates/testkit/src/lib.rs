//! Parts that the tests of several crates share.
//!
//! - [`turn`]: which tests run alone, which beside others, and how long they take.
//! - [`chi_square`]: Pearson's test of drawn numbers against expected shares.

pub mod chi_square;
pub mod turn;

pub use turn::{Turn, alone, beside_others};
