//! What a drive measured.

use std::collections::BTreeMap;

use hdrhistogram::Histogram;

use crate::results::outages::Outage;
use crate::results::per_type::Kind;
use crate::util::clock::per_s;
use logtrace_common::TimeRange;

/// The measured window of one drive.
///
/// `requests == done + (sum of errors) + unsent + unfinished`.
#[derive(Clone, Debug)]
pub struct Measured {
    /// The window as it was: a window that ended early ends when it did.
    pub window: TimeRange,
    /// The rate that was asked for in the window, its mean where it changes; `None` in a closed loop.
    pub offered_per_s: Option<f64>,
    /// The rate that was kept up. Open loop: the offered rate times the share of the requests due in the window
    /// that were sent in it and then done, so that a server that keeps up achieves what was offered whatever
    /// number of requests chance made due, and a backlog at the end counts against it. Closed loop: requests done
    /// in the window per second.
    pub achieved_per_s: f64,
    /// Requests that fell due in the window; in a closed loop, that were sent in it.
    pub requests: u64,
    /// Requests that the server did, in the window or in the grace after it.
    pub done: u64,
    /// Requests that failed, by the server's error code; [`crate::results::recorder::DISCONNECTED`] for those whose connection
    /// broke, [`crate::results::recorder::TIMED_OUT`] for those that were not done by their deadline.
    pub errors: BTreeMap<u16, u64>,
    /// Attempts that were made again within a request, by the error code of the failed attempt.
    pub retries: BTreeMap<u16, u64>,
    /// Requests that were sent more than 1 ms after they were due.
    pub late: u64,
    /// Requests that found no idle connection when they fell due: they are late for the server's slowness, not
    /// the generator's.
    pub queued: u64,
    /// Requests due in the window that were never sent.
    pub unsent: u64,
    /// Requests that were sent and had no answer when the grace was over.
    pub unfinished: u64,
    /// Most requests that were due and waited for a connection at one time.
    pub backlog_max: u64,
    /// How many did so when the window ended.
    pub backlog_end: u64,
    /// Sent - due of the requests done, in ns.
    pub lag: Histogram<u64>,
    /// Done - sent of the requests done, in ns.
    pub service: Histogram<u64>,
    /// Done - due of the requests done, in ns.
    pub response: Histogram<u64>,
    /// Time in attempts that failed and were repeated, in ns, of the requests done that had such; it is part of service.
    pub retrying: Histogram<u64>,
    /// Requests done in each second from the start, the grace included; sums to `done`.
    pub per_second: Vec<u64>,
    /// The same for each tenth of a second.
    pub per_tenth: Vec<u64>,
    /// By kind, in the order of the workload's kinds; empty where all requests are of one.
    pub kinds: Vec<Kind>,
    /// By how much the server's own order numbers (`d_next_o_id` of all districts) grew from before the window to
    /// after the grace: orders that were committed. `None` without such numbers, or when the server did not tell.
    pub orders_grown: Option<u64>,
    /// Times in which connections were lost, from those that were when the window began.
    pub outages: Vec<Outage>,
    /// Why the window ended.
    pub ended: Ended,
    /// CPU time of the driver's thread in the window and the grace.
    pub client_cpu_ns: u64,
}

/// Why a window ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
    /// Its time was over.
    Completed,
    /// The caller cancelled it.
    Interrupted,
    /// Every connection broke, and did not come back.
    ServerGone,
}

/// The definition of [`Measured::achieved_per_s`] in an open loop.
pub(crate) fn achieved_open(offered_per_s: f64, requests: u64, done_in_time: u64) -> f64 {
    match requests {
        0 => 0.0,
        requests => offered_per_s * (done_in_time as f64 / requests as f64),
    }
}

/// The definition of [`Measured::achieved_per_s`] in a closed loop.
pub(crate) fn achieved_closed(window: TimeRange, done_by_end: u64) -> f64 {
    per_s(done_by_end as f64, window.end_ns.saturating_sub(window.start_ns))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_server_that_keeps_up_achieves_the_offered_rate_whatever_chance_made_due() {
        assert_eq!(achieved_open(100.0, 2937, 2937), 100.0);
        assert_eq!(achieved_open(100.0, 3000, 1500), 50.0);
        assert_eq!(achieved_open(0.5, 0, 0), 0.0);
    }

    #[test]
    fn a_closed_loop_achieves_what_it_did() {
        let window = TimeRange {
            start_ns: 1_000_000_000,
            end_ns: 3_000_000_000,
        };
        assert_eq!(achieved_closed(window, 500), 250.0);
        let nothing = TimeRange {
            end_ns: window.start_ns,
            ..window
        };
        assert_eq!(achieved_closed(nothing, 0), 0.0);
    }
}
