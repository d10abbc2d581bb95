//! What a trace gives before it is put together.

use std::time::Duration;

use crate::measurement::ServerSnapshot;

/// Everything that a trace gives before it is put together.
#[derive(Debug)]
pub(crate) struct TraceOutcome {
    /// The server, and what was seen of it.
    pub(crate) snapshot: ServerSnapshot,
    /// How long it was traced.
    pub(crate) duration: Duration,
    /// Why it ended.
    pub(crate) ended: Ended,
}

/// Why a trace ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ended {
    /// It has not.
    NotYet,
    /// Its time was over.
    Completed,
    /// A signal ended it.
    Interrupted,
    /// The server's process ended.
    ServerGone,
}
