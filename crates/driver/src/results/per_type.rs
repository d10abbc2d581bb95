//! Results per request type, for workloads with several types.

use hdrhistogram::Histogram;
use logtrace_events::{Outcome, Request};

use crate::util::new_histogram;

/// Results of one request type.
#[derive(Clone, Debug)]
pub struct Kind {
    /// Number of requests done, including rolled-back ones.
    pub done: u64,
    /// Number of requests done that were rolled back on purpose.
    pub rolled_back: u64,
    /// Number of requests that failed.
    pub failed: u64,
    /// Number of requests done before the end of the window.
    pub done_in_window: u64,
    /// Number of requests done before the end of the window that were rolled back on purpose.
    pub rolled_back_in_window: u64,
    /// Service time (done - sent) of the requests done, in ns.
    pub service: Histogram<u64>,
    /// Response time (done - due) of the requests done, in ns.
    pub response: Histogram<u64>,
}

impl Default for Kind {
    fn default() -> Self {
        Self {
            done: 0,
            rolled_back: 0,
            failed: 0,
            done_in_window: 0,
            rolled_back_in_window: 0,
            service: new_histogram(),
            response: new_histogram(),
        }
    }
}

impl Kind {
    /// Adds other requests of the same type.
    pub(crate) fn add(&mut self, other: &Self) {
        self.done += other.done;
        self.rolled_back += other.rolled_back;
        self.failed += other.failed;
        self.done_in_window += other.done_in_window;
        self.rolled_back_in_window += other.rolled_back_in_window;
        self.service += &other.service;
        self.response += &other.response;
    }

    /// Records one finished request.
    pub(crate) fn record(&mut self, request: &Request, rolled_back: bool, window_end_ns: u64) {
        if request.outcome != Outcome::Done {
            self.failed += 1;
            return;
        }
        let in_window = u64::from(request.done_ns < window_end_ns);
        self.done += 1;
        self.done_in_window += in_window;
        if rolled_back {
            self.rolled_back += 1;
            self.rolled_back_in_window += in_window;
        }
        self.service += request.service_ns();
        self.response += request.response_ns();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request(done_ns: u64, outcome: Outcome) -> Request {
        Request {
            due_ns: 0,
            connection_wait_ns: 0,
            sent_ns: 5,
            attempt_ns: 5,
            done_ns,
            outcome,
            retries: 0,
            thread: None,
        }
    }

    #[test]
    fn what_is_rolled_back_is_done_and_what_fails_is_not() {
        let mut kind = Kind::default();
        kind.record(&request(50, Outcome::Done), false, 100);
        kind.record(&request(60, Outcome::Done), true, 100);
        kind.record(&request(120, Outcome::Done), true, 100);
        kind.record(&request(70, Outcome::ServerError(1213)), false, 100);
        kind.record(&request(80, Outcome::Disconnected), false, 100);
        assert_eq!((kind.done, kind.rolled_back, kind.failed), (3, 2, 2));
        assert_eq!((kind.done_in_window, kind.rolled_back_in_window), (2, 1));
        assert_eq!((kind.service.len(), kind.response.max()), (3, 120));
    }
}
