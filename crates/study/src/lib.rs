//! Studies: a server measured under many settings, in turns, and what the tables say.
//!
//! A [`Plan`] is read from TOML (docs/plans.md) and checked as a whole. It has [`Cell`]s: one level of each of its axes. Each
//! cell is measured several times, in [`turns()`] whose order is drawn, so that a machine that drifts does so for all
//! alike.
//!
//! Everything here is pure: no clock, no files, no server. Whoever runs a study brings the results.

mod cell;
mod order;
mod plan;
pub mod render;
mod report;
mod results;
mod stats;
mod tables;

pub use cell::{Cell, Chosen, DataUse, Detail, FileSystem, Place, Tables, Where};
pub use order::cost_estimate::Estimate;
pub use order::turns::{Turn, turns};
pub use plan::axis::{Axis, Level};
pub use plan::builtin::{BUILTIN, Builtin};
pub use plan::level_filter::Choice;
pub use plan::study_plan::{Plan, Scale, UnknownScale};
pub use plan::table_spec::{Compare, Published, Statistic, TableSpec};
pub use plan::workload::Files;
pub use report::{SCHEMA, Series, StallRow, StudyReport};
pub use results::figure::{Figure, Point, Span, Unit, UnknownFigure};
pub use results::stall_kind::StallKind;
pub use results::stalls::{Stall, stalls};
pub use results::study_results::{Outcome, Results};
pub use results::turn_result::{CauseTotal, Measured};
pub use results::window_series::{Course, Part};
pub use stats::confidence_interval::Interval;
pub use stats::paired_test::Comparison;
pub use tables::cell_entry::{CauseShare, Entry, Tabulated};
pub use tables::study_table::{Grid, Row, StudyTable, tabulate};
