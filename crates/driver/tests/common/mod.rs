//! Real servers for the tests, each in a directory of its own that goes with it.
#![allow(
    dead_code,
    clippy::allow_attributes,
    reason = "each test binary includes this file and uses a part of it"
)]

pub(crate) mod drives;
pub(crate) mod server;
