//! Studies: servers measured under many settings. Each measurement is a run of its own.

mod checks;
mod context;
mod directory;
mod level_args;
mod measure;
mod overview;
mod pilot;
mod plan_lookup;
mod server;
mod summary;

pub(crate) use checks::preflight::preflight;
pub(crate) use directory::progress_file::Progress;
pub(crate) use directory::request::{Overrides, StudyRequest};
pub(crate) use directory::study_dir::StudyDir;
pub(crate) use level_args::{LevelArg, chosen_cells};
pub(crate) use measure::runner::StudyRunner;
pub(crate) use overview::{overview, size_line};
pub(crate) use pilot::Pilot;
pub(crate) use plan_lookup::{built_in, find};
pub(crate) use summary::summary;
