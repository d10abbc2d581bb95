//! Records that the tracer saw and lost, and the CPU time that it used.

pub(crate) mod account;
pub(crate) mod calibration;
pub(crate) mod call_page;
pub(crate) mod cost;
pub(crate) mod cpu_times;
pub(crate) mod misses;
pub(crate) mod program_runs;
pub(crate) mod timing;
