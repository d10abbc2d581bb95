//! Studies: servers measured under many settings, and tables of the results.
//!
//! A [`Plan`] is read from TOML (docs/plans.md) and checked as a whole. It has [`Cell`]s: one level of each of its axes. Each
//! cell is measured several times. [`measurement_order()`] draws the order, so that a machine that slows down does so for all
//! cells alike.
//!
//! All but [`runner`] has no clock, no files and no server, and imports nothing of it. In the order in which data flows:
//!
//! - `plan`: reads plans, checks them, and expands them to cells;
//! - `cell`: everything that a measurement of a cell needs;
//! - `order`: order of the measurements, servers that cells share, estimate of time and disk space;
//! - `results`: figures, causes and stalls of a measurement;
//! - `tables`: entries of tables;
//! - `report`: everything that `study.json` has;
//! - `render`: terminal, Markdown, CSV and JSON;
//! - `runner`: measures a study: checks, servers, measurements, and its directory.

mod cell;
#[cfg(test)]
mod fuzz;
mod order;
mod plan;
pub mod render;
mod report;
mod results;
pub mod runner;
mod tables;

pub use cell::{Cell, DataUse, ShortTurns};
pub use logtrace_statistics::{DifferenceScale, Interval, Statistic, TestedDifference};
pub use order::cost_estimate::CostEstimate;
pub use order::living_servers::living_servers;
pub use order::measurement_order::{Measurement, measurement_order};
pub use order::pilot::{TurnNoise, pilot_cells, turn_noise};
pub use order::{Step, TurnBlock, study_steps};
pub use plan::Plan;
pub use plan::axis::{Axis, Level};
pub use plan::builtin::{BUILTIN, Builtin};
pub use plan::level_filter::LevelFilter;
pub use plan::scale::Scale;
pub use plan::syntax::Published;
pub use plan::table_spec::{PublishedRatios, TableSpec};
pub use plan::workload::ReadFile;
pub use report::{BusyCells, SCHEMA, Series, StallRow, StudyReport, StudyTime};
pub use results::conditions::Condition;
pub use results::figure::{Figure, Point, RequestTime, SecondPoint, UnknownFigure};
pub use results::measurement_result::{CauseTotal, MeasurementResult};
pub use results::stall_kind::StallKind;
pub use results::stalls::{Stall, stalls};
pub use results::throughput_curve::ThroughputCurve;
pub use results::turn_result::{TurnResult, turn_figures};
pub use results::window_series::{WindowSeries, WindowSlice};
pub use results::{MeasurementOutcome, StudyResults};
pub use tables::branch_share::BranchShare;
pub use tables::cause_share::{CauseShare, WhoShare};
pub use tables::cell_entry::{CellEntry, MeasuredEntry, PublishedRatio, RepeatCurve};
pub use tables::reference::Reference;
pub use tables::stage_table::{StageColumn, StageRow, StageTable};
pub use tables::{Grid, Row, StudyTable, VisibleEffect, tabulate};
