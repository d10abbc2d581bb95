//! Stalls: slow tenths of a second that belong together.

use logtrace_common::{STALL_BUCKET_NS, TimeRange};

/// Longest time between two slow tenths of one stall, in which a few commits get through.
const BETWEEN_NS: u64 = 3 * STALL_BUCKET_NS;

/// Returns the stalls of slow tenths, given by their starts: tenths with little time between them are one stall.
pub fn stalls(starts_ns: &[u64]) -> impl Iterator<Item = TimeRange> {
    let end_ns = |start_ns: u64| start_ns.saturating_add(STALL_BUCKET_NS);
    let stalls =
        starts_ns.chunk_by(move |&before, &after| after.saturating_sub(end_ns(before)) <= BETWEEN_NS);
    stalls.filter_map(move |stall| Some(TimeRange::new(*stall.first()?, end_ns(*stall.last()?))))
}
