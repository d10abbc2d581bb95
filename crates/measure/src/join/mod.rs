//! Join of a run with a trace of the server's machine.

mod inputs;
mod joined;
mod same_server;
mod translated;

pub use inputs::{RunInput, TraceInput};
pub use joined::{Joined, join};
