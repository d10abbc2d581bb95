//! Requests over time.

use logtrace_common::{HeatMap, IntervalColumns, TimeColumns, TimeRange};
use logtrace_events::{Outcome, Request};

/// Requests by when they were due, waited for a connection and ended, and how long they took.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RequestsOverTime {
    /// Lag of those done: sent - due.
    pub lag: HeatMap,
    /// Service time of those done: done - sent.
    pub service: HeatMap,
    /// Response time of those done: done - due.
    pub response: HeatMap,
    /// Numbers of all requests by when they were due.
    pub due: TimeColumns<(), u64>,
    /// Waits of all requests for a free connection.
    pub backlog: IntervalColumns,
}

impl RequestsOverTime {
    /// Creates empty columns of a window.
    pub fn new(window_start_ns: u64) -> Self {
        let empty = || HeatMap::new(window_start_ns);
        Self {
            lag: empty(),
            service: empty(),
            response: empty(),
            due: TimeColumns::new(window_start_ns),
            backlog: IntervalColumns::new(window_start_ns),
        }
    }

    /// Adds a request that was sent, and its times if it is done.
    pub(crate) fn record(&mut self, request: &Request) {
        self.record_due(request.due_ns);
        // From a connection that is free to the first byte it is some microseconds.
        let free_ns = request.sent_ns;
        let since_ns = free_ns.saturating_sub(request.connection_wait_ns);
        self.record_backlog(TimeRange::new(since_ns, free_ns));
        if request.outcome == Outcome::Done {
            self.lag.add(request.done_ns, request.lag_ns());
            self.service.add(request.done_ns, request.service_ns());
            self.response.add(request.done_ns, request.response_ns());
        }
    }

    /// Counts a request in the column in which it was due.
    pub(crate) fn record_due(&mut self, due_ns: u64) {
        *self.due.sum_at(due_ns, ()) += 1;
    }

    /// Adds the wait of a request for a free connection.
    pub(crate) fn record_backlog(&mut self, wait: TimeRange) {
        self.backlog.add(wait);
    }

    /// Adds other requests of the same window.
    pub(crate) fn add(&mut self, other: &Self) {
        self.lag.merge(&other.lag);
        self.service.merge(&other.service);
        self.response.merge(&other.response);
        self.due.add(&other.due);
        self.backlog.merge(&other.backlog);
    }
}
