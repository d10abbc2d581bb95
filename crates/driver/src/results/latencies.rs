//! Latencies of requests.

use hdrhistogram::Histogram;
use logtrace_events::Request;

use crate::util::new_histogram;

/// Latencies of the requests done, in nanoseconds.
#[derive(Clone, Debug, PartialEq)]
pub struct Latencies {
    /// Lag: sent - due.
    pub lag: Histogram<u64>,
    /// Service time: done - sent.
    pub service: Histogram<u64>,
    /// Response time: done - due.
    pub response: Histogram<u64>,
    /// Time in failed attempts that were repeated, of the requests with such attempts. It is part of the service time.
    pub retrying: Histogram<u64>,
}

impl Latencies {
    /// Creates empty histograms.
    pub(crate) fn new() -> Self {
        Self {
            lag: new_histogram(),
            service: new_histogram(),
            response: new_histogram(),
            retrying: new_histogram(),
        }
    }

    /// Adds a request that is done.
    pub(crate) fn record(&mut self, request: &Request) {
        self.lag += request.lag_ns();
        self.service += request.service_ns();
        self.response += request.response_ns();
        if request.retries > 0 {
            self.retrying += request.retrying_ns();
        }
    }

    /// Adds the latencies of other requests.
    pub(crate) fn add(&mut self, other: &Self) {
        self.lag += &other.lag;
        self.service += &other.service;
        self.response += &other.response;
        self.retrying += &other.retrying;
    }

    /// Removes all latencies.
    pub(crate) fn clear(&mut self) {
        self.lag.clear();
        self.service.clear();
        self.response.clear();
        self.retrying.clear();
    }

    /// Returns the latencies that all requests have, with their names in reports and logs.
    pub fn named(&self) -> [(&'static str, &Histogram<u64>); 3] {
        [
            ("lag", &self.lag),
            ("service", &self.service),
            ("response", &self.response),
        ]
    }
}
