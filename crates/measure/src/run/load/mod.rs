//! The load of a run: its tables, its capacity, and driving it.

pub(crate) mod consistency;
pub(crate) mod drive;
pub(crate) mod latency_log;
pub(crate) mod saved_inputs;
pub(crate) mod saved_requests;
