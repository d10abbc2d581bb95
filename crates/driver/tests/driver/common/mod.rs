//! Real servers for the tests, each in a directory of its own that goes with it.

pub(crate) mod drives;
pub(crate) mod server;
