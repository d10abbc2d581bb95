//! Wakers that came late.
//!
//! The last waker need not be the one that was waited for all the time: locks are not fair, and who comes last may get one
//! first and hand it on. A waker that began its commit only after the wait began was still busy with something else
//! until then, or idle. And a background thread that sleeps until its time has come holds nothing that others need:
//! MariaDB's flushes the redo log once a second (srv_master_callback() in storage/innobase/srv/srv0srv.cc), and for those
//! too that wait already. Such time is charged to the thread that the waker queued behind itself once it was there; after
//! a sleep, to the first that serves a connection, as the threads of a pool wake each other only to sleep on.

use logtrace_common::TimeRange;
use logtrace_events::Tid;

use crate::attribution::walk::{MAX_DEPTH, Segment, Walk, Way};
use crate::causes::cause::{Cause, Wait, Who};
use crate::causes::wakeup::{Awaited, Waker, awaited};
use crate::timeline::thread::Timeline;

const SLEEP: Cause = Cause {
    who: Who::Background,
    io: None,
    wait: Wait::Timer,
};

impl Walk<'_> {
    /// Charges `window`, in which a thread was blocked until `waker` woke it.
    pub(crate) fn wait_for(&mut self, waker: Waker, window: TimeRange, way: Way) {
        if window.is_empty() {
            return;
        }
        let joined_ns = waker.commit_ns.unwrap_or(window.start_ns);
        let absent = window.before(joined_ns);
        let ahead = if absent.is_empty() || way.depth > MAX_DEPTH {
            None
        } else {
            self.queued_behind(waker, joined_ns).next()
        };
        match ahead {
            Some((_, ahead)) => {
                self.wait_for(ahead, absent, way.further());
                self.charge_to(waker, window.since(joined_ns), way);
            }
            None => self.charge_to(waker, window, way),
        }
    }

    /// Charges anew where `window`, charged to the waker, was found to be a sleep, if the waker queued behind another thread
    /// after it.
    pub(crate) fn rouse(&mut self, waker: Waker, window: TimeRange, way: Way) {
        // Most wakers are in a commit.
        if waker.commit_ns.is_some() {
            return;
        }
        let first = self
            .segments
            .partition_point(|segment| segment.end_ns <= window.start_ns);
        let has_slept = self.segments[first..].iter().any(|found| found.cause == SLEEP);
        if !has_slept || self.serves_connection(waker.tid) {
            return;
        }
        for found in self.segments.split_off(first) {
            self.charge_again(found, found.window().before(window.start_ns));
            let asked = found.window().since(window.start_ns);
            if found.cause == SLEEP {
                self.rouse_from(found, waker, asked, way);
            } else {
                self.charge_again(found, asked);
            }
        }
    }

    /// Charges `window` of a sleep that was found.
    fn rouse_from(&mut self, found: Segment, waker: Waker, window: TimeRange, way: Way) {
        let mut rest = window;
        while !rest.is_empty() {
            let Some((since_ns, ahead)) = self.session_ahead(waker, rest.start_ns + 1) else {
                return self.charge_again(found, rest);
            };
            self.wait_for(ahead, rest.before(since_ns), way.further());
            rest = rest.since(since_ns);
        }
    }

    fn charge_again(&mut self, found: Segment, window: TimeRange) {
        self.charge(window, found.tid, found.cause, found.stack);
    }

    fn serves_connection(&self, tid: Tid) -> bool {
        let timeline = self.timelines.thread(tid);
        timeline.is_some_and(Timeline::serves_connection)
    }

    /// The first of [`Walk::queued_behind`] that serves a connection.
    fn session_ahead(&self, waker: Waker, from_ns: u64) -> Option<(u64, Waker)> {
        let mut ahead = self.queued_behind(waker, from_ns);
        ahead.find(|(_, ahead)| self.serves_connection(ahead.tid))
    }

    /// The threads of the server that ended the waits that the waker began from `from_ns` on, in order, and when it began
    /// each.
    fn queued_behind(&self, waker: Waker, from_ns: u64) -> impl Iterator<Item = (u64, Waker)> + use<'_> {
        let timeline = self.timelines.thread(waker.tid);
        timeline.inspect(|timeline| timeline.ask(waker.at_ns, waker.commit_ns));
        let window = TimeRange::new(from_ns, waker.at_ns);
        let waits = timeline
            .into_iter()
            .flat_map(move |timeline| timeline.waits(window));
        waits.filter_map(move |off| match awaited(off, self.timelines.server_tgid()) {
            Awaited::Thread(ahead) if ahead.at_ns < waker.at_ns => Some((off.out_ns, ahead)),
            _ => None,
        })
    }
}
