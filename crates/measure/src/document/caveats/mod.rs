//! Facts that a reader must know before trusting the numbers of a measurement; pure.
//!
//! The kinds are in `logtrace_report::document::CaveatKind`.

pub(crate) mod again;
pub(crate) mod join;
pub(crate) mod run;
mod silent_probes;
#[cfg(test)]
mod tests;
pub(crate) mod tpcc;
pub(crate) mod trace;
pub(crate) mod tracing;
