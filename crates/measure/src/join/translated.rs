//! Times of a run by the clock of the server's machine; pure.

use logtrace_attribution::clocks::ClockLine;
use logtrace_common::TimeRange;
use logtrace_events::{Clocks, Request};

/// Returns the requests by the server's clock. All times of a request move by the same amount, so that its durations are
/// those that the client measured.
pub(crate) fn translated(requests: &[Request], line: &ClockLine) -> Vec<Request> {
    requests.iter().map(|request| moved(request, line)).collect()
}

/// Returns a window by the server's clock.
pub(crate) fn translated_window(window: TimeRange, line: &ClockLine) -> TimeRange {
    let server = |at_ns: u64| at_ns.saturating_add_signed(line.offset_at(at_ns));
    TimeRange::new(server(window.start_ns), server(window.end_ns))
}

/// Returns the server's clock minus the client's clock, as far as the dates of both machines are right.
pub(crate) fn offset_by_date(client: Clocks, server: Clocks) -> i64 {
    let booted = |clocks: Clocks| i128::from(clocks.realtime_ns) - i128::from(clocks.monotonic_ns);
    i64::try_from(booted(client) - booted(server)).unwrap_or(0)
}

fn moved(request: &Request, line: &ClockLine) -> Request {
    let offset_ns = line.offset_at(request.sent_ns);
    let server = |at_ns: u64| at_ns.saturating_add_signed(offset_ns);
    Request {
        due_ns: server(request.due_ns),
        sent_ns: server(request.sent_ns),
        attempt_ns: server(request.attempt_ns),
        done_ns: server(request.done_ns),
        ..*request
    }
}

#[cfg(test)]
mod tests {
    use logtrace_events::Outcome;

    use super::*;

    #[test]
    fn durations_of_a_request_stay() {
        let line = ClockLine {
            at_ns: 1_000_000_000,
            offset_ns: -500,
            drift: 1e-4,
        };
        let request = Request {
            due_ns: 2_000_000_000,
            connection_wait_ns: 3,
            sent_ns: 2_000_000_010,
            attempt_ns: 2_000_000_020,
            done_ns: 2_900_000_000,
            outcome: Outcome::Done,
            retries: 0,
            thread: Some(1),
        };
        let moved = &translated(&[request], &line)[0];
        assert_eq!(moved.sent_ns, 2_000_000_010 - 500 + 100_000);
        assert_eq!(moved.lag_ns(), request.lag_ns());
        assert_eq!(moved.response_ns(), request.response_ns());
        let window = translated_window(TimeRange::new(1_000_000_000, 2_000_000_000), &line);
        assert_eq!(window, TimeRange::new(999_999_500, 2_000_099_500));
    }

    #[test]
    fn the_date_tells_the_offset() {
        let clocks = |monotonic_ns, realtime_ns| Clocks {
            monotonic_ns,
            realtime_ns,
        };
        // Read at different times; the server was started 100 before the client.
        let (client, server) = (clocks(1_000, 50_000), clocks(1_200, 50_100));
        assert_eq!(offset_by_date(client, server), 100);
    }
}
