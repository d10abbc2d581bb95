//! Join of a run with a trace of the server's machine.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Clocks of the client's machine and of the server's, matched by the requests.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Join {
    /// Start of the trace, as RFC 3339 time.
    pub trace_started: String,
    /// `CLOCK_MONOTONIC` of the server's machine minus that of the client's machine, at the start of the window.
    pub offset: i64,
    /// Growth of the offset, in millionths of the time.
    pub drift_ppm: f64,
    /// Largest possible error of the offset in the window.
    pub error: u64,
    /// Number of requests that could be matched: done at the first attempt, on a connection with a known thread.
    pub requests: u64,
    /// Number of requests that matched a visit of their thread.
    pub matched: u64,
}
