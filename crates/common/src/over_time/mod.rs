//! Columns of time and rows of durations, the same for requests and for commits.

pub(crate) mod heat_map;
pub(crate) mod interval_columns;
pub(crate) mod latency_row;
pub(crate) mod stall_bucket;
pub(crate) mod time_columns;
