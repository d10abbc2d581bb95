//! Results of a drive: latencies, counts, outages and what happened in each second.

pub(crate) mod interval_log;
pub(crate) mod lag_parts;
pub(crate) mod latencies;
pub(crate) mod merge_seconds;
pub(crate) mod outages;
pub(crate) mod over_time;
pub(crate) mod per_type;
pub(crate) mod progress;
pub(crate) mod rate_step;
pub(crate) mod recorder;
pub(crate) mod result;
