//! Requests and the visits of the threads that served them.

use std::collections::BTreeMap;

use logtrace_events::{Request, Tid};

use super::bounds::Bounds;
use super::times::{difference, is_simple};
use super::visit_times::VisitTimes;

/// Finds the wake-ups and commits of each request by the difference of the clocks at a time of the client, and returns the bounds of the
/// requests that were done at the first attempt and have one.
///
/// These begin after it was sent, before its connection sent the next one, and before it was done.
/// With the true difference, this finds the right ones exactly. If the difference may be too early, they may begin
/// `late_ns` after the request was done.
pub(super) fn assign(
    requests: &[&Request],
    visits: &VisitTimes,
    offset_ns: impl Fn(u64) -> i64,
    late_ns: u64,
) -> Vec<Bounds> {
    let mut of_threads: BTreeMap<Tid, Vec<&Request>> = BTreeMap::new();
    for request in requests {
        let thread = request.thread.unwrap_or(0);
        of_threads.entry(thread).or_default().push(request);
    }
    let mut bounds = Vec::new();
    for (thread, requests) in of_threads {
        for (index, request) in requests.iter().enumerate() {
            let next_ns = requests.get(index + 1).map_or(u64::MAX, |next| next.sent_ns);
            let server = |at_ns: u64| at_ns.saturating_add_signed(offset_ns(request.sent_ns));
            let until_ns = server(request.done_ns.saturating_add(late_ns).min(next_ns));
            let from_ns = server(request.sent_ns);
            if let (true, Some((first_ns, last_ns))) =
                (is_simple(request), visits.work(thread, from_ns, until_ns))
            {
                bounds.push(Bounds {
                    sent_ns: request.sent_ns,
                    done_ns: request.done_ns,
                    upper_ns: difference(first_ns, request.sent_ns),
                    lower_ns: difference(last_ns, request.done_ns),
                });
            }
        }
    }
    bounds
}
