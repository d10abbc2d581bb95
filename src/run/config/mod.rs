//! What a run measures: the checked configuration.

pub(crate) mod pacing;
pub(crate) mod run_config;
pub(crate) mod storage;
