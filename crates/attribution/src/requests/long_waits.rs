//! Long waits of statements before their commits.

use logtrace_common::TimeRange;
use logtrace_events::{Commit, OffCpu, Tid};

use crate::causes::wakeup::{Awaited, awaited};
use crate::causes::{Cause, Wait, Who};
use crate::charging::walk::explain;
use crate::charging::walk::memory::Memory;
use crate::timeline::Timelines;
use crate::timeline::thread::{Timeline, blocked};
use crate::timeline::turns::LOOK_NS;

/// Length from which a wait counts. The server's functions are read from there on (`LONG_NS` in
/// crates/tracer/bpf/server_wait.h).
pub(crate) const LONG_NS: u64 = 1_000_000;

/// Long wait of a thread.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct LongWait {
    /// Cause of all of it.
    pub(crate) cause: Cause,
    /// Time until the thread was woken, in more than one part if it looked up in between: for some locks the servers look each
    /// second whether their client is still there (MDL_context::acquire_lock() in sql/mdl.cc).
    pub(crate) parts: Vec<TimeRange>,
    /// Session that ended it, if one did.
    pub(crate) releaser: Option<Tid>,
}

/// Returns the long waits of thread `tid` in `range`, in the order of time.
pub(crate) fn long_waits(
    timelines: &Timelines,
    memory: &mut Memory,
    tid: Tid,
    range: TimeRange,
) -> Vec<LongWait> {
    let mut waits: Vec<LongWait> = Vec::new();
    let timeline = timelines.thread(tid).filter(|_| range.length_ns() >= LONG_NS);
    let Some(timeline) = timeline else { return waits };
    // Whether the last one may go on.
    let mut is_open = false;
    for off in timeline.off_cpu(range) {
        let blocked = blocked(off, range);
        if blocked.is_empty() {
            continue;
        }
        let releaser = releaser(timelines, off);
        let is_long = blocked.length_ns() >= LONG_NS;
        let cause = is_long.then(|| cause(timelines, memory, timeline, off, blocked));
        let last = waits.last_mut().filter(|_| is_open);
        if let Some(last) = last.filter(|last| last.goes_on(blocked, cause, releaser)) {
            last.parts.push(blocked);
            last.releaser = releaser;
        } else {
            is_open = is_long;
            waits.extend(cause.map(|cause| LongWait {
                cause,
                parts: vec![blocked],
                releaser,
            }));
        }
    }
    waits
}

impl LongWait {
    /// Returns the length.
    pub(crate) fn ns(&self) -> u64 {
        self.parts.iter().map(|part| part.length_ns()).sum()
    }

    /// Returns whether the thread's next wait is for the same lock.
    fn goes_on(&self, next: TimeRange, cause: Option<Cause>, releaser: Option<Tid>) -> bool {
        let is_near = self
            .parts
            .last()
            .is_some_and(|last| next.start_ns - last.end_ns < LOOK_NS);
        let is_same = match cause {
            Some(cause) => cause == self.cause,
            // Too short to have a stack: the lock was given back right after a look.
            None => releaser.is_some(),
        };
        self.cause.wait.is_lock() && self.releaser.is_none() && is_near && is_same
    }
}

/// Returns the session that ended a wait.
fn releaser(timelines: &Timelines, off: &OffCpu) -> Option<Tid> {
    match awaited(off, timelines.server_tgid) {
        Awaited::Thread(waker) => Some(waker.tid).filter(|&tid| timelines.serves_connection(tid)),
        Awaited::Itself(_) => None,
    }
}

/// Returns the cause of a wait: the server's function, and where that was not read, what most of the time was charged to.
fn cause(
    timelines: &Timelines,
    memory: &mut Memory,
    timeline: &Timeline,
    off: &OffCpu,
    blocked: TimeRange,
) -> Cause {
    if let Some(io) = timeline.io(blocked).next() {
        return Cause {
            who: Who::Own,
            io: Some(io.target),
            wait: timelines.names.kernel_wait(off.stack),
        };
    }
    match timelines.reason(timeline, off) {
        Some(wait) if wait.is_lock() => Cause {
            who: Who::Session,
            io: None,
            wait,
        },
        Some(wait) => Cause::own(wait),
        None => largest(timelines, memory, off.tid, blocked),
    }
}

fn largest(timelines: &Timelines, memory: &mut Memory, tid: Tid, blocked: TimeRange) -> Cause {
    let part = Commit {
        tid,
        start_ns: blocked.start_ns,
        end_ns: blocked.end_ns,
    };
    let mut segments = Vec::new();
    explain(&part, timelines, memory, &mut segments);
    let largest = segments.iter().max_by_key(|segment| segment.range.length_ns());
    largest.map_or(Cause::own(Wait::Unexplained), |segment| segment.cause)
}
