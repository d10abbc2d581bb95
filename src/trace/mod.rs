//! Traces of a server under a load that is not of logtrace: configuration, measurement, outcome.

mod config;
mod document;
mod measure;
mod trace_outcome;

pub(crate) use config::TraceConfig;
pub(crate) use document::results;
pub(crate) use measure::measure;
