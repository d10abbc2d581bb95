//! Studies: servers measured under many settings. Each measurement is a run of its own.

mod checks;
mod context;
mod directory;
mod dry_run;
mod level_args;
mod measure;
mod plan_lookup;
mod server;
mod summary;

pub(crate) use checks::preflight::preflight;
pub(crate) use directory::progress_file::Progress;
pub(crate) use directory::request::{Overrides, StudyRequest};
pub(crate) use directory::study_dir::StudyDir;
pub(crate) use dry_run::{dry_run, size_line};
pub(crate) use level_args::{LevelArg, chosen_cells};
pub(crate) use measure::runner::StudyRunner;
pub(crate) use plan_lookup::{built_in, find};
pub(crate) use summary::summary;
