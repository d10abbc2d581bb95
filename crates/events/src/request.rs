//! Record of one request of the driver.

use crate::record::Tid;

/// Unit of work that the driver issued.
///
/// lag = `sent_ns - due_ns`, service = `done_ns - sent_ns`, response = `done_ns - due_ns`: response is what a
/// user feels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Request {
    /// Time when the request was due.
    pub due_ns: u64,
    /// Time from when it was due, or from when the last idle connection was taken, until a connection was free for it. It
    /// is part of the lag; the rest of the lag is the pacer's.
    pub connection_wait_ns: u64,
    /// Time when its first byte left.
    pub sent_ns: u64,
    /// Start of its last attempt: later than `sent_ns` if attempts failed and were repeated.
    pub attempt_ns: u64,
    /// Time when its answer was complete.
    pub done_ns: u64,
    /// Outcome of the request.
    pub outcome: Outcome,
    /// Attempts beyond the first: deadlocks and lock waits that timed out.
    pub retries: u32,
    /// Thread of the server that serves its connection, if the server reports it.
    pub thread: Option<Tid>,
}

/// Outcome of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// Done by the server.
    Done,
    /// Error code of the server.
    ServerError(u16),
    /// Broken connection.
    Disconnected,
    /// Deadline passed without an answer.
    TimedOut,
}

impl Request {
    /// Returns how late the request was sent.
    pub fn lag_ns(&self) -> u64 {
        self.sent_ns.saturating_sub(self.due_ns)
    }

    /// Returns how late the pacer sent it: its lag without the wait for a free connection.
    pub fn pacer_lag_ns(&self) -> u64 {
        self.lag_ns().saturating_sub(self.connection_wait_ns)
    }

    /// Returns how long the server took.
    pub fn service_ns(&self) -> u64 {
        self.done_ns.saturating_sub(self.sent_ns)
    }

    /// Returns the time of attempts that failed and were repeated.
    pub fn retrying_ns(&self) -> u64 {
        self.attempt_ns.saturating_sub(self.sent_ns)
    }

    /// Returns the time from when it was due until it was done.
    pub fn response_ns(&self) -> u64 {
        self.done_ns.saturating_sub(self.due_ns)
    }
}
