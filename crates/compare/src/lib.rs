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
//! - `side`: a run with what was computed from it once;
//! - `side_durations`: distributions of durations;
//! - `compared_value`: one comparison, and its verdict;
//! - `cause_tree`: what commits waited for, tested along the tree of reports;
//! - `comparison`: all of them;
//! - `render`: terminal, Markdown, page and JSON.

mod batches;
mod cause_tree;
mod compared_value;
mod comparison;
mod durations;
mod estimate;
mod figures;
pub mod render;
mod run;
mod settings;
mod side;
mod side_durations;
mod stacks;
mod waited;

pub use cause_tree::ChangeNode;
pub use compared_value::ComparedValue;
pub use comparison::{Assumed, CauseChange, Comparison, FigureChange, KindChange, SCHEMA, compare_runs};
pub use figures::RunFigure;
pub use logtrace_statistics::Verdict;
pub use run::Run;
pub use settings::Setting;
pub use side_durations::{DurationShare, Lasting, SideDurations};
pub use stacks::StackChange;
pub use waited::Waited;
