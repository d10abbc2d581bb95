//! Execution of a workload: shards, connections, and dispatch of requests that are due.

pub(crate) mod connection;
pub(crate) mod dispatcher;
pub(crate) mod drive;
mod event_loop;
mod phases;
pub(crate) mod reconnect;
pub(crate) mod request_source;
mod shard;
mod shard_result;
pub(crate) mod shard_state;
pub(crate) mod share;
pub(crate) mod ticker;
