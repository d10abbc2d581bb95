//! Wakers that arrived during the wait that they ended.
//!
//! The last waker need not have held the lock all the time: locks are not fair, and the last thread to come may get a
//! lock first and pass it on. A waker that began its commit only after the wait began was busy with something else until
//! then, or idle. And a background thread that sleeps until a set time holds no lock that others need: MariaDB's thread
//! flushes the redo log once a second (srv_master_callback() in storage/innobase/srv/srv0srv.cc), also for threads that
//! are already waiting. Such time is charged to the thread that the waker queued behind after it had arrived; after a
//! sleep, to the first such thread that serves a connection, because threads of a pool wake each other only to sleep on.

use logtrace_common::TimeRange;

use crate::causes::wakeup::{Awaited, Waker, awaited};
use crate::causes::{Cause, Wait, Who};
use crate::charging::Segment;
use crate::timeline::Timelines;

/// Returns whether this is a sleep of a background thread until a set time.
pub(crate) fn is_sleep(cause: Cause) -> bool {
    let ends_by_time = matches!(cause.wait, Wait::Timer | Wait::TimedWait | Wait::ServerFunction);
    cause.who == Who::Background && cause.io.is_none() && ends_by_time
}

/// Returns the index of the first segment since `range.start_ns` if a sleep of the waker may need another cause: one of
/// these segments is a sleep, and the waker serves no connection.
pub(crate) fn first_after_sleep(
    timelines: &Timelines,
    segments: &[Segment],
    waker: Waker,
    range: TimeRange,
) -> Option<usize> {
    // Most wakers are in a commit.
    if waker.commit_ns.is_some() {
        return None;
    }
    let first = segments.partition_point(|segment| segment.range.end_ns <= range.start_ns);
    let has_slept = segments[first..].iter().any(|segment| is_sleep(segment.cause));
    (has_slept && !timelines.serves_connection(waker.tid)).then_some(first)
}

/// Returns the first of [`queued_behind`] that serves a connection.
pub(crate) fn session_ahead(timelines: &Timelines, waker: Waker, from_ns: u64) -> Option<(u64, Waker)> {
    let mut ahead = queued_behind(timelines, waker, from_ns);
    ahead.find(|(_, ahead)| timelines.serves_connection(ahead.tid))
}

/// Returns the threads of the server that ended the waker's waits from `from_ns` on, in order, each with the start of
/// the wait.
pub(crate) fn queued_behind(
    timelines: &Timelines,
    waker: Waker,
    from_ns: u64,
) -> impl Iterator<Item = (u64, Waker)> + use<'_> {
    let timeline = timelines.thread(waker.tid);
    timeline.inspect(|timeline| timeline.horizon.note_query(waker.at_ns, waker.commit_ns));
    let range = TimeRange::new(from_ns, waker.at_ns);
    let waits = timeline
        .into_iter()
        .flat_map(move |timeline| timeline.waits(range));
    waits.filter_map(move |off| match awaited(off, timelines.server_tgid) {
        Awaited::Thread(ahead) if ahead.at_ns < waker.at_ns => Some((off.out_ns, ahead)),
        _ => None,
    })
}
