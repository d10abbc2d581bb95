//! Configuration of a run.

pub(crate) mod pacing;
pub(crate) mod run_config;
pub(crate) mod storage;
