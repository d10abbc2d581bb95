//! Studies: a server measured under many settings, in turns; each turn is a run of its own.

mod checks;
mod directory;
mod dry_run;
mod level_args;
mod measure;
mod plan_lookup;
mod server;
mod summary;

pub(crate) use checks::preflight::preflight;
pub(crate) use directory::progress_file::State;
pub(crate) use directory::request::{Asked, Overrides};
pub(crate) use directory::study_dir::StudyDir;
pub(crate) use dry_run::{extent, outline};
pub(crate) use level_args::{Only, chosen};
pub(crate) use measure::runner::Work;
pub(crate) use plan_lookup::{built_in, find};
pub(crate) use summary::summary;
