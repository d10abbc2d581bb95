//! Records that the tracer saw and lost, and the CPU time that it used.

pub(crate) mod account;
pub(crate) mod bpf_stats;
pub(crate) mod cpu_times;
