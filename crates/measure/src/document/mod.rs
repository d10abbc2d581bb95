//! Documents (`run.json`) and their caveats: the one place where they are made.
//!
//! - `base`: the part of any measurement
//! - `run`, `trace`, `join`, `again`: the document of each
//! - `unfinished`: that of a measurement that goes on
//! - `caveats`: the caveats of each
//! - `named_holders`: connections of threads and transactions
//! - `results`: a document with what is written beside it

pub(crate) mod again;
mod base;
pub(crate) mod caveats;
mod driver;
pub(crate) mod failures;
mod host;
pub(crate) mod join;
pub(crate) mod join_parts;
mod named_holders;
mod request_type_row;
pub(crate) mod results;
pub(crate) mod run;
mod storage_labels;
mod tpcc;
pub(crate) mod trace;
pub(crate) mod unfinished;

pub use results::Results;
