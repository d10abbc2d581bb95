//! Comparison of runs: what differs between them, by how much, and how sure that is.
//!
//! Runs are compared one with one, or as pairs of repeats. In the order in which data flows:
//!
//! - `run`: a run to compare;
//! - `waited`: what commits waited for;
//! - `durations`: durations by seconds of a run;
//! - `batches`: commits with their causes, and requests, by seconds of a run;
//! - `estimate`: means and percentiles with the error that the time within a run leaves;
//! - `figures`: throughput and times of a run;
//! - `settings`: settings that differ;
//! - `stacks`: the mean commit by stack;
//! - `change`: one comparison, and its verdict;
//! - `comparison`: all of them;
//! - `render`: terminal, Markdown, page and JSON.

mod batches;
mod change;
mod comparison;
mod durations;
mod estimate;
mod figures;
pub mod render;
mod run;
mod settings;
mod stacks;
mod waited;

pub use change::{Change, Verdict};
pub use comparison::{Assumed, CauseChange, Comparison, FigureChange, SCHEMA, compare};
pub use figures::Figure;
pub use run::Run;
pub use settings::Setting;
pub use stacks::StackChange;
pub use waited::Waited;
