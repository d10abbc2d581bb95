//! Studies: a server measured under many settings, in turns, and what the tables say.
//!
//! A [`Plan`] is read from TOML (docs/plans.md) and checked as a whole. It has [`Cell`]s: one level of each of its axes. Each
//! cell is measured several times, in [`turns()`] whose order is drawn, so that a machine that drifts does so for all
//! alike.
//!
//! Everything here is pure: no clock, no files, no server. Whoever runs a study brings the results.

mod axis;
mod build;
mod builtin;
mod cell;
mod choices;
mod compared;
mod course;
mod entries;
mod estimate;
mod estimated;
mod figure;
mod measured;
mod merged;
mod moderated;
mod options;
mod order;
mod plan;
pub mod render;
mod results;
mod series;
mod server_key;
mod source;
mod stall_kind;
mod stalls;
mod study_report;
mod table_spec;
mod tables;
mod text;
mod workload;

#[cfg(test)]
mod documentation;
#[cfg(test)]
mod measured_tests;
#[cfg(test)]
mod plan_tests;

pub use axis::{Axis, Level};
pub use builtin::{BUILTIN, Builtin};
pub use cell::{Cell, Chosen, DataUse, Detail, FileSystem, Place, Tables, Where};
pub use choices::Choice;
pub use compared::Comparison;
pub use course::{Course, Part};
pub use entries::{CauseShare, Entry, Tabulated};
pub use estimate::Estimate;
pub use estimated::Interval;
pub use figure::{Figure, Point, Span, Unit, UnknownFigure};
pub use measured::{CauseTotal, Measured};
pub use order::{Turn, turns};
pub use plan::{Plan, Scale, UnknownScale};
pub use results::{Outcome, Results};
pub use stall_kind::StallKind;
pub use stalls::{Stall, stalls};
pub use study_report::{SCHEMA, Series, StallRow, StudyReport};
pub use table_spec::{Compare, Published, Statistic, TableSpec};
pub use tables::{Grid, Row, StudyTable, tabulate};
pub use workload::Files;
