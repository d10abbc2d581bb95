//! Timelines: the history of each thread, its groups of commits, stacks, and flushes of devices.

pub(crate) mod commit_groups;
pub(crate) mod device_flushes;
pub(crate) mod frames;
pub(crate) mod history;
pub(crate) mod lost_periods;
pub(crate) mod named_wait;
pub(crate) mod query_horizon;
pub(crate) mod room;
pub(crate) mod stacks;
pub(crate) mod thread;
pub mod threads;
