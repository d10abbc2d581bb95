//! What is measured of each kind of request, where a workload has several.

use hdrhistogram::Histogram;
use logtrace_events::{Outcome, Request};

use crate::util::histogram::new_histogram;

/// The requests of one kind.
#[derive(Clone, Debug)]
pub struct Kind {
    /// Requests that the server did, those rolled back included.
    pub done: u64,
    /// Those of them that were rolled back, as they were meant to.
    pub rolled_back: u64,
    /// Requests that failed.
    pub failed: u64,
    /// Requests that the server had done when the window ended.
    pub done_in_window: u64,
    /// Those of them that were rolled back.
    pub rolled_back_in_window: u64,
    /// Done - sent of the requests done, in ns.
    pub service: Histogram<u64>,
    /// Done - due of the requests done, in ns.
    pub response: Histogram<u64>,
}

/// Of which kind a finished request was.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct KindOf {
    /// Its place among the workload's kinds.
    pub(crate) kind: usize,
    /// Whether it was rolled back, as it was meant to.
    pub(crate) rolled_back: bool,
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
    /// Adds other requests of the same kind.
    pub(crate) fn add(&mut self, other: &Self) {
        self.done += other.done;
        self.rolled_back += other.rolled_back;
        self.failed += other.failed;
        self.done_in_window += other.done_in_window;
        self.rolled_back_in_window += other.rolled_back_in_window;
        self.service += &other.service;
        self.response += &other.response;
    }

    /// Takes one finished request.
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
