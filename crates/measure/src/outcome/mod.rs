//! Outcomes of runs and traces, of which documents are made.

pub(crate) mod consistency_checks;
pub(crate) mod run_outcome;
pub(crate) mod trace_outcome;
