//! Results of a drive: latencies, counts, outages and what happened in each second.

pub(crate) mod first_failure;
pub(crate) mod interval_log;
pub(crate) mod lag_parts;
pub(crate) mod latencies;
pub(crate) mod merge_seconds;
pub(crate) mod outages;
pub(crate) mod over_time;
pub(crate) mod per_type;
pub(crate) mod progress;
pub(crate) mod rate_step;
pub(crate) mod recorder;

use std::collections::BTreeMap;

use hdrhistogram::Histogram;

use crate::results::first_failure::FirstFailure;
use crate::results::lag_parts::LagParts;
use crate::results::outages::Outage;
use crate::results::over_time::RequestsOverTime;
use crate::results::per_type::Kind;
use crate::results::rate_step::RateStep;
use crate::util::clock::per_s;
use logtrace_common::TimeRange;

/// Result of the measured window of one drive.
///
/// `requests == done + (sum of errors) + unsent + unfinished`.
#[derive(Clone, Debug)]
pub struct DriveResult {
    /// Window; if it ended early, up to that time.
    pub window: TimeRange,
    /// Offered rate in the window, or its mean if it changes; `None` in a closed loop.
    pub offered_per_s: Option<f64>,
    /// Achieved rate. Open loop: the offered rate times the share of requests due in the window that were sent in it and
    /// then done. A server that keeps up thus achieves exactly the offered rate, whatever the random number of due
    /// requests, and a backlog at the end counts against it. Closed loop: requests done in the window per second.
    pub achieved_per_s: f64,
    /// Number of requests due in the window; in a closed loop, sent in it. Includes `from_warmup`.
    pub requests: u64,
    /// Number of requests of the warm-up that still ran when the window began.
    pub from_warmup: u64,
    /// Number of requests done in the window or in the grace period after it.
    pub done: u64,
    /// Number of failed requests by the server's error code; [`crate::results::recorder::DISCONNECTED`] for a lost
    /// connection, [`crate::results::recorder::TIMED_OUT`] for a missed deadline.
    pub errors: BTreeMap<u16, u64>,
    /// First failure with each of these codes, but for missed deadlines, which have no text; up to 32 codes.
    pub failures: BTreeMap<u16, FirstFailure>,
    /// Number of attempts repeated within a request, by the error code of the failed attempt.
    pub retries: BTreeMap<u16, u64>,
    /// Number of requests sent more than 1 ms after they were due.
    pub late: u64,
    /// Number of requests that found no idle connection when they fell due.
    pub queued: u64,
    /// Number of requests due in the window that were never sent.
    pub unsent: u64,
    /// Number of requests sent that had no answer at the end of the grace period.
    pub unfinished: u64,
    /// Largest number of due requests that waited for a connection.
    pub backlog_max: u64,
    /// Number of due requests that waited for a connection at the end of the window.
    pub backlog_end: u64,
    /// Lag (sent - due) of the requests done, in ns.
    pub lag: Histogram<u64>,
    /// Service time (done - sent) of the requests done, in ns.
    pub service: Histogram<u64>,
    /// Parts of the lag.
    pub lag_parts: LagParts,
    /// Response time (done - due) of the requests done, in ns.
    pub response: Histogram<u64>,
    /// Time from due to the end of every request, in ns: its answer, its failure, or the end of waiting for it. The true
    /// response time of a request without an answer is longer.
    pub response_with_failed: Histogram<u64>,
    /// Results per step of the rate; empty if it does not change in steps.
    pub steps: Vec<RateStep>,
    /// Time in failed attempts that were repeated, in ns, of the requests done with such attempts. It is part of the
    /// service time.
    pub retrying: Histogram<u64>,
    /// Number of requests done in each second from the start, including the grace period; sums to `done`.
    pub per_second: Vec<u64>,
    /// Number of requests done in each tenth of a second, likewise.
    pub per_tenth: Vec<u64>,
    /// Requests by when they were due, waited for a connection and ended, and how long they took.
    pub over_time: RequestsOverTime,
    /// Results per request type, in the order of the workload; empty if it has only one type.
    pub kinds: Vec<Kind>,
    /// Number of committed orders by the server's own order numbers (growth of `d_next_o_id` of all districts from before
    /// the window to after the grace period). `None` if the workload has none or the server did not answer.
    pub orders_grown: Option<u64>,
    /// Outages, including those that had not ended when the window began.
    pub outages: Vec<Outage>,
    /// Reason why the window ended.
    pub ended: EndReason,
    /// CPU time of the driver's threads in the window and the grace period.
    pub client_cpu_ns: u64,
}

/// Reason why a window ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EndReason {
    /// The planned time was over.
    Completed,
    /// The caller cancelled the drive.
    Interrupted,
    /// Every connection was lost and did not come back.
    ServerGone,
}

/// Returns [`DriveResult::achieved_per_s`] of an open loop.
pub(crate) fn achieved_open(offered_per_s: f64, requests: u64, done_in_time: u64) -> f64 {
    match requests {
        0 => 0.0,
        requests => offered_per_s * (done_in_time as f64 / requests as f64),
    }
}

/// Returns [`DriveResult::achieved_per_s`] of a closed loop.
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
