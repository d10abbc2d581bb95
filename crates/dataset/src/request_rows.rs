//! Rows of requests.

use logtrace_events::{Outcome, Request};
use parquet_derive::ParquetRecordWriter;

use crate::table_file::{difference, integer};

/// Row of the table `requests`. Times are since the window began.
#[derive(Debug, PartialEq, Eq, ParquetRecordWriter)]
pub(crate) struct RequestRow {
    due_ns: i64,
    sent_ns: i64,
    done_ns: i64,
    connection_wait_ns: i64,
    retrying_ns: i64,
    retries: i64,
    tid: Option<i64>,
    outcome: &'static str,
    error: Option<i64>,
}

impl RequestRow {
    /// Creates the row of a request, for a window that began at `window_ns`.
    pub(crate) fn new(request: &Request, window_ns: u64) -> Self {
        let (outcome, error) = match request.outcome {
            Outcome::Done => ("done", None),
            Outcome::ServerError(code) => ("server error", Some(i64::from(code))),
            Outcome::Disconnected => ("disconnected", None),
            Outcome::TimedOut => ("timed out", None),
        };
        Self {
            due_ns: difference(request.due_ns, window_ns),
            sent_ns: difference(request.sent_ns, window_ns),
            done_ns: difference(request.done_ns, window_ns),
            connection_wait_ns: integer(request.connection_wait_ns),
            retrying_ns: integer(request.retrying_ns()),
            retries: request.retries.into(),
            tid: request.thread.map(Into::into),
            outcome,
            error,
        }
    }
}
