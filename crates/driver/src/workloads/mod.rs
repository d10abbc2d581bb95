//! Workloads: statements that one request consists of, and values drawn for it.

pub(crate) mod compat;
pub(crate) mod custom;
pub(crate) mod dataset;
pub(crate) mod keys;
pub(crate) mod load_batch;
pub(crate) mod option_error;
pub(crate) mod options;
pub(crate) mod protocol;
pub(crate) mod registry;
pub(crate) mod request_values;
pub(crate) mod statement;
pub(crate) mod sysbench;
pub mod tpcc;
pub(crate) mod transaction;
pub(crate) mod workload;
