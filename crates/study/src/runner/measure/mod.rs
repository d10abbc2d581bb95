//! Measurements of a study, one after the other.

pub(crate) mod cpu_use;
pub(crate) mod group_counters;
pub(crate) mod machine;
pub(crate) mod measurement;
pub(crate) mod stage_times;
pub(crate) mod study_runner;
pub(crate) mod turn_block;
