//! Outcome of a run, its caveats, and its document.

pub(crate) mod caveats;
pub(crate) mod document;
pub(crate) mod request_type_row;
pub(crate) mod run_outcome;
pub(crate) mod tpcc;
