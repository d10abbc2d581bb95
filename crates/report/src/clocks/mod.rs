//! Clocks of two machines, matched by the requests of one and the records of the other.
//!
//! A thread of the server wakes up after a request was sent, and ends the commit before the client has the answer. So each
//! request bounds the difference between the clocks from both sides: see [`bounds`].

mod assignment;
mod bounds;
mod first_guess;
mod slices;
#[cfg(test)]
mod tests;
pub(crate) mod visit_times;

use logtrace_common::TimeRange;
use logtrace_events::{Outcome, Request};
use thiserror::Error;

use self::assignment::assign;
use self::bounds::{Bounds, line_between};
use self::first_guess::first_guess;
use self::slices::Slices;

pub use self::bounds::ClockLine;
pub use self::visit_times::VisitTimes;

/// Share of the requests that must be found in the trace.
const LEAST_SHARE: f64 = 0.5;

/// Share of the requests that may contradict the others: they were found at a wrong visit.
const MOST_CONTRADICTING: f64 = 0.01;

/// Matched clocks of the client's machine and of the server's.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ClockMatch {
    /// Server's clock minus the client's clock, as a line over the client's time.
    pub line: ClockLine,
    /// Largest possible error of the line in the window, in nanoseconds.
    pub error_ns: u64,
    /// Number of requests that could match: done at the first attempt, on a connection with a known thread.
    pub requests: u64,
    /// Number of requests with a visit of their thread.
    pub matched: u64,
}

/// Reason why clocks do not match.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum ClockError {
    /// The client did not learn which threads of the server serve its connections.
    #[error(
        "the run does not know which threads of the server served its connections: the server has a thread pool, or does not show its threads (MySQL needs performance_schema=ON)"
    )]
    NoThreads,
    /// The trace has no record of the threads.
    #[error(
        "the trace saw none of the {0} threads that served the run: it is a trace of another server, or of another time"
    )]
    OtherThreads(usize),
    /// The threads were not woken when requests were sent.
    #[error(
        "the threads of the trace do not follow the requests of the run: of {sample} requests, at most {agreeing} agree on one difference of the clocks. Were trace and run at the same time, and do the dates of both machines differ by less than a minute?"
    )]
    NoAgreement {
        /// Number of requests that were compared.
        sample: usize,
        /// Largest number of requests with the same difference.
        agreeing: usize,
    },
    /// Most requests are not in the trace.
    #[error(
        "only {matched} of {requests} requests are in the trace: start the trace before the run, and end it after the run"
    )]
    TooFew {
        /// Number of requests that were looked for.
        requests: u64,
        /// Number of requests that were found.
        matched: u64,
    },
    /// The bounds contradict each other.
    #[error(
        "{contradicting} of {requests} requests contradict each other about the difference of the clocks: one of the clocks was set or did not run evenly during the run"
    )]
    Contradiction {
        /// Number of requests that were found.
        requests: u64,
        /// Number of requests that contradict the others.
        contradicting: u64,
    },
}

/// Matches the clocks by `requests` of the window. `guess_ns` is the server's clock minus the client's by the date, right to
/// a minute.
pub fn match_clocks(
    requests: &[Request],
    visits: &VisitTimes,
    window: TimeRange,
    guess_ns: i64,
) -> Result<ClockMatch, ClockError> {
    let mut on_threads: Vec<&Request> = requests
        .iter()
        .filter(|request| request.thread.is_some())
        .collect();
    on_threads.sort_unstable_by_key(|request| request.sent_ns);
    if on_threads.is_empty() {
        return Err(ClockError::NoThreads);
    }
    let guess = first_guess(&on_threads, visits, guess_ns)?;
    let slices = Slices::follow(&on_threads, visits, guess);
    let first = assign(&on_threads, visits, |at_ns| slices.early(at_ns), slices.late_ns());
    let middles = slices.between(&first);
    let assigned = assign(&on_threads, visits, |at_ns| middles.at(at_ns), 0);
    let could = on_threads.iter().filter(|request| is_simple(request)).count() as u64;
    let matched = assigned.len() as u64;
    if (matched as f64) < LEAST_SHARE * could as f64 {
        return Err(ClockError::TooFew {
            requests: could,
            matched,
        });
    }
    let (agreeing, contradicting): (Vec<Bounds>, Vec<Bounds>) = assigned
        .into_iter()
        .partition(|bounds| bounds.allow(middles.at(bounds.sent_ns)));
    let contradicting = contradicting.len() as u64;
    let contradiction = ClockError::Contradiction {
        requests: matched,
        contradicting,
    };
    if contradicting as f64 > MOST_CONTRADICTING * matched as f64 {
        return Err(contradiction);
    }
    let (line, error_ns) = line_between(&agreeing, window).ok_or(contradiction)?;
    Ok(ClockMatch {
        line,
        error_ns,
        requests: could,
        matched: agreeing.len() as u64,
    })
}

/// Returns whether the times of a request are those of one attempt that the server answered.
fn is_simple(request: &Request) -> bool {
    request.outcome == Outcome::Done && request.retries == 0
}

/// Returns `a - b`.
fn difference(a: u64, b: u64) -> i64 {
    a.wrapping_sub(b).cast_signed()
}
