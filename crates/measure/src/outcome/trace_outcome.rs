//! Outcome of a trace.

use std::time::Duration;

use crate::measurement::ServerSnapshot;

/// Outcome of a trace.
#[derive(Debug)]
pub struct TraceOutcome {
    /// Process of the server.
    pub(crate) pid: u32,
    pub(crate) snapshot: ServerSnapshot,
    pub(crate) duration: Duration,
    pub(crate) ended: Ended,
}

/// Reason why a trace ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ended {
    /// The trace goes on.
    NotYet,
    Completed,
    Interrupted,
    ServerGone,
}
