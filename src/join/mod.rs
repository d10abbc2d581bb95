//! Join of a run with a trace of the server's machine.

mod document;
mod inputs;
mod joined;
mod same_server;
mod translated;

pub(crate) use document::is_degraded;
pub(crate) use inputs::{RunInput, TraceInput};
pub(crate) use joined::{Joined, join};
