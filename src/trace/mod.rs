//! The commits of a server that somebody else runs and loads: from checked configuration to run document.

mod caveats;
mod config;
mod document;
mod measure;
mod trace_outcome;

pub(crate) use config::TraceConfig;
pub(crate) use document::results;
pub(crate) use measure::measure;
