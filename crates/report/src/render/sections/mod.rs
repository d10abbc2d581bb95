//! Contents of a report's sections, the same for each form of text: sentences, pairs and tables of cells.

pub(crate) mod advice;
pub(crate) mod answer;
pub(crate) mod causes;
pub(crate) mod faster;
pub(crate) mod files;
pub(crate) mod headline;
pub(crate) mod holders;
pub(crate) mod latency;
mod processes;
pub(crate) mod rate_steps;
pub(crate) mod request_types;
pub(crate) mod response;
mod session;
pub(crate) mod stages;
pub(crate) mod statements;
pub(crate) mod tiles;
pub(crate) mod tpcc;
pub(crate) mod tracer;
pub(crate) mod tree;
pub(crate) mod waited_for;
