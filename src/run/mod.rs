//! One measured execution under a load of our own: from checked configuration to run document.

mod arrivals_file;
mod caveats;
mod check;
mod config;
mod disk;
mod document;
mod give_back;
mod load;
mod measure;
mod pacing;
mod preflight;
mod raw;
mod serve;
mod storage;
mod target;
mod tpcc;
mod window;
mod workload_file;

pub(crate) use config::RunConfig;
pub(crate) use document::measured;
pub(crate) use give_back::give_back;
pub(crate) use load::DATABASE;
pub(crate) use measure::measure;
pub(crate) use pacing::Pacing;
pub(crate) use preflight::preflight;
pub(crate) use serve::{Served, Tables, check_traceable, serve};
pub(crate) use storage::Storage;
pub(crate) use window::window;
