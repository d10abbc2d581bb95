//! Studies: a server measured under many settings, in turns, and what the tables say.
//!
//! A [`Plan`] is read from TOML and checked as a whole. It has [`Cell`]s: one level of each of its axes. Each
//! cell is measured several times, in [`turns()`] whose order is drawn, so that a machine that drifts does so for all
//! alike.
//!
//! Everything here is pure: no clock, no files, no server. Whoever runs a study brings the results.

mod axis;
mod build;
mod builtin;
mod cell;
mod choices;
mod estimate;
mod figure;
mod merged;
mod options;
mod order;
mod plan;
mod server_key;
mod source;
mod table_spec;
mod text;
mod workload;

#[cfg(test)]
mod plan_tests;

pub use axis::{Axis, Level};
pub use builtin::{BUILTIN, Builtin};
pub use cell::{Cell, Chosen, DataUse, Detail, FileSystem, Place, Tables, Where};
pub use choices::Choice;
pub use estimate::Estimate;
pub use figure::{Figure, Point, Span, Unit, UnknownFigure};
pub use order::{Turn, turns};
pub use plan::{Plan, Scale, UnknownScale};
pub use table_spec::{Compare, Published, Statistic, TableSpec};
pub use workload::Files;
