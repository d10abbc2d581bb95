//! Clocks of two machines, matched by the requests of one and the records of the other.
//!
//! A thread of the server wakes up after a request was sent, and ends the commit before the client has the answer. So each
//! request bounds the difference between the clocks from both sides: see `bounds`. The error is a bound and no estimate,
//! and nobody has to synchronise the clocks. A line is fitted, because clocks drift: at 20 ppm, one constant would be
//! wrong by 0.6 ms after 30 s. The end of a visit is no bound: the client may have its answer before the server's thread
//! waits again.
//!
//! Requests are assigned to visits twice: first with a difference that is somewhat too early, then with the middle of the
//! bounds, at which the assignment is exact. The order of requests alone would go wrong with the first lost visit. The
//! nearest visit in a closed loop is often that of the request before.

mod assignment;
mod bounds;
mod error;
mod first_guess;
mod slices;
#[cfg(test)]
mod tests;
mod times;
pub(crate) mod visit_times;

use logtrace_common::TimeRange;
use logtrace_events::Request;

use self::assignment::assign;
use self::bounds::{Bounds, line_between};
use self::first_guess::first_guess;
use self::slices::Slices;
use self::times::is_simple;

pub use self::bounds::ClockLine;
pub use self::error::ClockError;
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
