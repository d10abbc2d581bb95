//! Contents of a report's sections, the same for each form of text: sentences, pairs and tables of cells.

pub(crate) mod answer;
pub(crate) mod causes;
pub(crate) mod faster;
pub(crate) mod files;
pub(crate) mod headline;
pub(crate) mod latency;
pub(crate) mod rate_steps;
pub(crate) mod request_types;
pub(crate) mod response;
pub(crate) mod statements;
pub(crate) mod tpcc;
pub(crate) mod tracer;
pub(crate) mod waited_for;
