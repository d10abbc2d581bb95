//! The server of a run: opening it, and leaving it as it was.

pub(crate) mod disk_full;
pub(crate) mod open_server;
pub(crate) mod teardown;
