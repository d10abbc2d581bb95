//! Sessions that keep another one waiting for a lock.
//!
//! Who releases a lock need not have held it all the time. Sessions that wait for one lock get it one after the other, and a
//! session that holds one may wait for another. So where the releaser was itself waiting for a lock, the session that it
//! waited for takes its place.

use logtrace_common::TimeRange;
use logtrace_events::Tid;

use crate::charging::walk::memory::Memory;
use crate::requests::long_waits::long_waits;
use crate::timeline::Timelines;

/// Limit on sessions that wait for each other in a row. A longer row ends at the last one.
const MOST_IN_A_ROW: u32 = 256;

/// Splits `range`, in which a session waited for a lock that `releaser` gave back, by the sessions that held it up, and
/// passes each part to `each` in the order of time.
pub(crate) fn lock_holders(
    timelines: &Timelines,
    memory: &mut Memory,
    releaser: Tid,
    range: TimeRange,
    each: &mut impl FnMut(Tid, TimeRange),
) {
    split(timelines, memory, (releaser, MOST_IN_A_ROW), range, each);
}

fn split(
    timelines: &Timelines,
    memory: &mut Memory,
    (holder, further): (Tid, u32),
    range: TimeRange,
    each: &mut impl FnMut(Tid, TimeRange),
) {
    let mut at_ns = range.start_ns;
    let waits = match further {
        0 => Vec::new(),
        _ => long_waits(timelines, memory, holder, range),
    };
    for wait in waits.iter().filter(|wait| wait.cause.wait.is_lock()) {
        let Some(ahead) = wait.releaser else { continue };
        for &part in &wait.parts {
            held(holder, TimeRange::new(at_ns, part.start_ns), each);
            split(timelines, memory, (ahead, further - 1), part, each);
            at_ns = part.end_ns;
        }
    }
    held(holder, range.since(at_ns), each);
}

fn held(holder: Tid, range: TimeRange, each: &mut impl FnMut(Tid, TimeRange)) {
    if !range.is_empty() {
        each(holder, range);
    }
}
