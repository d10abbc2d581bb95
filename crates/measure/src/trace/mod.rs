//! Traces of a server under a load that is not of logtrace: configuration, measurement, outcome.

mod config;
mod document;
mod measure;
mod trace_outcome;

pub use config::TraceConfig;
pub use document::results;
pub use measure::measure;
pub use trace_outcome::TraceOutcome;
