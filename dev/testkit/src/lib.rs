//! Parts that the tests of several crates share.
//!
//! - [`turn`]: which tests run alone, which beside others, and how long they take.
//! - [`long`]: which tests take one server by default, and all in a long run.
//! - [`fuzz`]: damaged copies of sound inputs.
//! - [`synthetic`]: records of an invented server.
//! - [`chi_square`]: Pearson's test of drawn numbers against expected shares.
//! - [`page`]: markup of a page, for golden tests.

pub mod chi_square;
pub mod fuzz;
pub mod long;
pub mod page;
mod priority;
pub mod synthetic;
pub mod turn;

pub use long::one_or_all;
pub use turn::{Turn, alone, beside_others};
