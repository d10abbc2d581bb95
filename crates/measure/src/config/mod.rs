//! Checked configurations of runs and traces.

pub(crate) mod connections;
pub(crate) mod cpu_placement;
pub(crate) mod run_config;
pub(crate) mod trace_config;
