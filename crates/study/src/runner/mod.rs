//! Runner of studies: checks, servers, measurements, and the directory of a study. Each measurement is a run of its own.

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

pub use checks::preflight;
pub use directory::StudyDir;
pub use directory::progress_file::StudyProgress;
pub use directory::request::{Overrides, StudyRequest};
pub use level_args::{LevelArg, chosen_cells};
pub use measure::StudyRunner;
pub use overview::{overview, size_line};
pub use pilot::Pilot;
pub use plan_lookup::{built_in, find};
pub use summary::summary;
