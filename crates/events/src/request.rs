//! What the driver records of each request.

use crate::record::Tid;

/// One unit of work that the driver issued.
///
/// lag = `sent_ns - due_ns`, service = `done_ns - sent_ns`, response = `done_ns - due_ns`: response is what a
/// user feels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Request {
    /// When it should have started.
    pub due_ns: u64,
    /// When its first byte left.
    pub sent_ns: u64,
    /// When its last attempt began: after attempts that failed and were repeated, else when it was sent.
    pub attempt_ns: u64,
    /// When its answer was complete.
    pub done_ns: u64,
    /// How it ended.
    pub outcome: Outcome,
    /// Attempts beyond the first: deadlocks and lock waits that timed out.
    pub retries: u32,
    /// The thread of the server that serves its connection, where the server tells.
    pub thread: Option<Tid>,
}

/// How a request ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// The server did it.
    Done,
    /// The server answered with this error code.
    ServerError(u16),
    /// The connection broke.
    Disconnected,
    /// It was not done by its deadline.
    TimedOut,
}

impl Request {
    /// How late it was sent.
    pub fn lag_ns(&self) -> u64 {
        self.sent_ns.saturating_sub(self.due_ns)
    }

    /// How long the server took.
    pub fn service_ns(&self) -> u64 {
        self.done_ns.saturating_sub(self.sent_ns)
    }

    /// How long attempts took that failed and were repeated.
    pub fn retrying_ns(&self) -> u64 {
        self.attempt_ns.saturating_sub(self.sent_ns)
    }

    /// How long it took from when it was due.
    pub fn response_ns(&self) -> u64 {
        self.done_ns.saturating_sub(self.due_ns)
    }
}
