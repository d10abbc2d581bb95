//! Outcome of a trace.

use std::time::Duration;

use crate::measurement::ServerSnapshot;

/// Outcome of a trace.
#[derive(Debug)]
pub(crate) struct TraceOutcome {
    /// Server, machine and trace.
    pub(crate) snapshot: ServerSnapshot,
    /// Length of the trace.
    pub(crate) duration: Duration,
    /// Reason of the end.
    pub(crate) ended: Ended,
}

/// Reason why a trace ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ended {
    /// The trace goes on.
    NotYet,
    /// End of the duration.
    Completed,
    /// Signal.
    Interrupted,
    /// End of the server's process.
    ServerGone,
}
