//! The commits of a server that somebody else runs and loads: from checked configuration to run document.

mod caveats;
mod config;
mod document;
mod measure;
mod outcome;

pub(crate) use config::TraceConfig;
pub(crate) use document::measured;
pub(crate) use measure::watch;
