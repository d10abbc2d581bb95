//! Times of requests and their differences.

use logtrace_events::{Outcome, Request};

/// Returns whether the times of a request are those of one attempt that the server answered.
pub(super) fn is_simple(request: &Request) -> bool {
    request.outcome == Outcome::Done && request.retries == 0
}

/// Returns `a - b`.
pub(super) fn difference(a: u64, b: u64) -> i64 {
    a.wrapping_sub(b).cast_signed()
}
