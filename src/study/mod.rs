//! Studies: a server measured under many settings, in turns; each turn is a run of its own.

mod asked;
mod config;
mod data;
mod directory;
mod host;
mod only;
mod outline;
mod plans;
mod preflight;
mod queue;
mod runner;
mod settings_check;
mod settle;
mod stage_profile;
mod state;
mod storage_check;
mod summary;
mod turn;

pub(crate) use asked::{Asked, Overrides};
pub(crate) use directory::StudyDir;
pub(crate) use only::{Only, chosen};
pub(crate) use outline::{extent, outline};
pub(crate) use plans::{built_in, find};
pub(crate) use preflight::preflight;
pub(crate) use runner::Work;
pub(crate) use state::State;
pub(crate) use summary::summary;
