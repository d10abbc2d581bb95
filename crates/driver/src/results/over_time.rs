//! Requests over time.

use logtrace_common::HeatMap;
use logtrace_events::Request;

/// Requests done by when they ended and how long they took.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RequestsOverTime {
    /// Lag: sent - due.
    pub lag: HeatMap,
    /// Service time: done - sent.
    pub service: HeatMap,
    /// Response time: done - due.
    pub response: HeatMap,
}

impl RequestsOverTime {
    /// Creates empty maps of a window.
    pub fn new(window_start_ns: u64) -> Self {
        let empty = || HeatMap::new(window_start_ns);
        Self {
            lag: empty(),
            service: empty(),
            response: empty(),
        }
    }

    /// Adds a request that is done.
    pub(crate) fn record(&mut self, request: &Request) {
        self.lag.add(request.done_ns, request.lag_ns());
        self.service.add(request.done_ns, request.service_ns());
        self.response.add(request.done_ns, request.response_ns());
    }

    /// Adds other requests of the same window.
    pub(crate) fn add(&mut self, other: &Self) {
        self.lag.merge(&other.lag);
        self.service.merge(&other.service);
        self.response.merge(&other.response);
    }
}
