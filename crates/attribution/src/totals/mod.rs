//! Totals over the measured window: one file for each statistic.

pub(crate) mod breakdown;
pub(crate) mod busiest_files;
pub(crate) mod by_cause;
pub(crate) mod by_device;
pub(crate) mod by_file;
pub(crate) mod by_group;
pub(crate) mod by_stack;
pub(crate) mod by_statement;
pub(crate) mod cpu_functions;
pub(crate) mod distribution;
pub(crate) mod file_names;
pub(crate) mod histogram;
pub(crate) mod slowest;
pub(crate) mod stalls;
pub(crate) mod trace_gaps;
