//! Dispatch of due requests to idle connections, with a backlog between them.
//!
//! The dispatcher reads no clock: callers pass times as numbers, and connections pass their wakers.

use std::collections::VecDeque;
use std::task::{Poll, Waker};

use crate::engine::request_source::{RequestSource, ScheduledRequest};

/// Dispatcher of requests to connections as the requests fall due.
///
/// Invariant: the backlog is empty while a connection is idle.
#[derive(Debug)]
pub(crate) struct Dispatcher {
    /// Source of requests; `None` outside of phases.
    source: Option<RequestSource>,
    backlog: VecDeque<ScheduledRequest>,
    slots: Vec<Slot>,
    /// Indexes of the idle slots. The last slot to become idle is the first to get a request: its memory is warm.
    idle: Vec<usize>,
    /// Time when the last idle slot got a request. Since then, no connection was free while `idle` is empty.
    none_idle_since_ns: u64,
    counts: DispatchCounts,
    closed: bool,
}

/// Counts of requests since the source was set.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct DispatchCounts {
    /// Number of requests that fell due, and of those that still ran when the source was set.
    pub(crate) released: u64,
    /// Number of requests that still ran when the source was set.
    pub(crate) carried: u64,
    /// Number of due requests that found no idle connection.
    pub(crate) queued: u64,
    /// Number of dispatched requests that have not finished.
    pub(crate) running: u64,
    /// Largest backlog.
    pub(crate) backlog_max: u64,
}

#[derive(Debug)]
enum Slot {
    /// Not connected, or between two requests.
    Away,
    /// Busy with a request that was due at this time; in a closed loop, that was dispatched at this time.
    Busy(u64),
    /// Waiting for a request.
    Idle(Waker),
    /// Woken up for this request.
    Assigned(ScheduledRequest),
}

impl DispatchCounts {
    /// Adds the counts of another dispatcher.
    pub(crate) fn add(&mut self, other: Self) {
        self.released += other.released;
        self.carried += other.carried;
        self.queued += other.queued;
        self.running += other.running;
        self.backlog_max += other.backlog_max;
    }
}

impl Dispatcher {
    pub(crate) fn new(slots: usize) -> Self {
        Self {
            source: None,
            backlog: VecDeque::new(),
            slots: (0..slots).map(|_| Slot::Away).collect(),
            idle: Vec::with_capacity(slots),
            none_idle_since_ns: 0,
            counts: DispatchCounts::default(),
            closed: false,
        }
    }

    /// Replaces the source, drops the backlog and restarts the counts. Requests that still run count as released again.
    pub(crate) fn set_source(&mut self, source: RequestSource) {
        self.source = Some(source);
        self.backlog.clear();
        let running = self.counts.running;
        self.counts = DispatchCounts {
            released: running,
            carried: running,
            running,
            ..DispatchCounts::default()
        };
    }

    /// Dispatches everything that is due by now. Returns whether a connection got a request.
    pub(crate) fn release(&mut self, now_ns: u64) -> bool {
        let mut dispatched = false;
        while let Some(&slot) = self.idle.last() {
            let Some(request) = self.next_request(now_ns) else {
                return dispatched;
            };
            dispatched = true;
            self.idle.pop();
            if self.idle.is_empty() {
                self.none_idle_since_ns = now_ns;
            }
            self.counts.running += 1;
            if let Slot::Idle(waker) = std::mem::replace(&mut self.slots[slot], Slot::Assigned(request)) {
                waker.wake();
            }
        }
        if self.source.as_ref().is_some_and(RequestSource::queues) {
            while let Some(request) = self.next_request(now_ns) {
                self.counts.queued += 1;
                self.backlog.push_back(request);
            }
            self.counts.backlog_max = self.counts.backlog_max.max(self.backlog());
        }
        dispatched
    }

    /// Polls for the next request for a connection, in the order of due times; `None` once the dispatcher is closed.
    pub(crate) fn poll_request(
        &mut self,
        slot: usize,
        now_ns: u64,
        waker: &Waker,
    ) -> Poll<Option<ScheduledRequest>> {
        if self.closed {
            return Poll::Ready(None);
        }
        match &mut self.slots[slot] {
            Slot::Assigned(request) => {
                let request = *request;
                return Poll::Ready(Some(self.begin(slot, request, now_ns)));
            }
            Slot::Idle(current) => {
                // The connection was polled for another reason. The backlog is empty while a slot is idle.
                current.clone_from(waker);
                return Poll::Pending;
            }
            Slot::Away | Slot::Busy(_) => {}
        }
        match self.backlog.pop_front().or_else(|| self.next_request(now_ns)) {
            Some(mut request) => {
                request.connection_wait_ns = self.connection_wait_ns(&request, now_ns);
                self.counts.running += 1;
                Poll::Ready(Some(self.begin(slot, request, now_ns)))
            }
            None => {
                self.slots[slot] = Slot::Idle(waker.clone());
                self.idle.push(slot);
                Poll::Pending
            }
        }
    }

    /// Notes that a connection begins a request.
    fn begin(&mut self, slot: usize, request: ScheduledRequest, now_ns: u64) -> ScheduledRequest {
        self.slots[slot] = Slot::Busy(request.due_ns.unwrap_or(now_ns));
        request
    }

    /// Returns for how long no connection was free since a request was due.
    fn connection_wait_ns(&self, request: &ScheduledRequest, now_ns: u64) -> u64 {
        match request.due_ns {
            Some(due_ns) if self.idle.is_empty() => {
                now_ns.saturating_sub(due_ns.max(self.none_idle_since_ns))
            }
            _ => 0,
        }
    }

    /// Counts the request of a slot as finished.
    pub(crate) fn finish(&mut self, slot: usize) {
        self.slots[slot] = Slot::Away;
        self.counts.running -= 1;
    }

    /// Returns the due times of all requests that run or wait for a connection.
    pub(crate) fn open_requests(&self) -> impl Iterator<Item = u64> {
        let running = self.slots.iter().filter_map(|slot| match slot {
            Slot::Busy(due_ns) => Some(*due_ns),
            Slot::Assigned(request) => request.due_ns,
            Slot::Away | Slot::Idle(_) => None,
        });
        running.chain(self.waiting_requests().map(|(due_ns, _)| due_ns))
    }

    /// Returns the due times of the requests that wait for a connection, each with the time since when none was free for it.
    pub(crate) fn waiting_requests(&self) -> impl Iterator<Item = (u64, u64)> {
        let due_ns = self.backlog.iter().filter_map(|request| request.due_ns);
        due_ns.map(|due_ns| (due_ns, due_ns.max(self.none_idle_since_ns)))
    }

    /// Returns when the source has its next request after `now_ns`, if that depends on time alone.
    pub(crate) fn next_due_ns(&mut self, now_ns: u64) -> Option<u64> {
        self.source.as_mut()?.next_due_ns(now_ns)
    }

    /// Returns whether no request waits or runs.
    pub(crate) fn is_drained(&self) -> bool {
        self.backlog.is_empty() && self.counts.running == 0
    }

    /// Ends the source, drops the backlog, and returns the number of requests in it.
    pub(crate) fn shut(&mut self) -> u64 {
        self.source = None;
        self.backlog.drain(..).count() as u64
    }

    /// Ends every connection as soon as it is idle.
    pub(crate) fn close(&mut self) {
        self.closed = true;
        for slot in self.idle.drain(..) {
            if let Slot::Idle(waker) = &self.slots[slot] {
                waker.wake_by_ref();
            }
        }
    }

    pub(crate) fn backlog(&self) -> u64 {
        self.backlog.len() as u64
    }

    pub(crate) fn counts(&self) -> DispatchCounts {
        self.counts
    }

    fn next_request(&mut self, now_ns: u64) -> Option<ScheduledRequest> {
        let request = self.source.as_mut()?.next(now_ns)?;
        self.counts.released += 1;
        Some(request)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use logtrace_common::TimeRange;
    use logtrace_common::random::Stream;
    use proptest::prelude::*;

    use super::*;
    use crate::engine::share::Share;
    use crate::schedule::arrivals::Arrivals;
    use crate::schedule::pace::Pace;

    fn source(pace: &Pace, start_ns: u64, end_ns: u64) -> RequestSource {
        let range = TimeRange { start_ns, end_ns };
        RequestSource::new(pace, range, Stream::Window, 0, Share::ALL)
    }

    fn open(rate_per_s: f64, end_ns: u64) -> RequestSource {
        let pace = Pace::Open {
            rate_per_s,
            arrivals: Arrivals::Uniform,
        };
        source(&pace, 0, end_ns)
    }

    fn poll(dispatcher: &mut Dispatcher, slot: usize, now_ns: u64) -> Option<ScheduledRequest> {
        match dispatcher.poll_request(slot, now_ns, Waker::noop()) {
            Poll::Ready(request) => request,
            Poll::Pending => None,
        }
    }

    #[test]
    fn a_due_request_goes_to_the_connection_that_became_idle_last() {
        let mut dispatcher = Dispatcher::new(2);
        assert!(poll(&mut dispatcher, 0, 0).is_none() && poll(&mut dispatcher, 1, 0).is_none());
        dispatcher.set_source(open(1000.0, 1_000_000));
        dispatcher.release(0);
        assert!(poll(&mut dispatcher, 0, 0).is_none(), "still idle");
        assert_eq!(poll(&mut dispatcher, 1, 0).unwrap().due_ns, Some(0));
    }

    #[test]
    fn a_busy_server_makes_a_backlog_and_not_a_lower_rate() {
        let mut dispatcher = Dispatcher::new(1);
        dispatcher.set_source(open(1000.0, 10_000_000));
        assert_eq!(poll(&mut dispatcher, 0, 0).unwrap().number, 0);
        dispatcher.release(10_000_000);
        assert_eq!(dispatcher.backlog(), 9);
        dispatcher.finish(0);
        assert_eq!(
            poll(&mut dispatcher, 0, 10_000_000).unwrap().due_ns,
            Some(1_000_000)
        );
        let counts = dispatcher.counts();
        assert_eq!((counts.released, counts.queued, counts.backlog_max), (10, 9, 9));
        assert_eq!((counts.running, dispatcher.shut()), (1, 8));
    }

    #[test]
    fn only_time_in_which_no_connection_was_free_is_a_wait_for_one() {
        let mut dispatcher = Dispatcher::new(1);
        assert!(poll(&mut dispatcher, 0, 0).is_none());
        dispatcher.set_source(open(1000.0, 10_000_000));
        // The pacer is 5 ms late, with a connection idle until then.
        dispatcher.release(5_000_000);
        let mut wait_ns = |finished: bool, now_ns| {
            if finished {
                dispatcher.finish(0);
            }
            poll(&mut dispatcher, 0, now_ns).unwrap().connection_wait_ns
        };
        assert_eq!(wait_ns(false, 5_000_000), 0);
        assert_eq!(wait_ns(true, 6_000_000), 1_000_000, "due at 1 ms");
        assert_eq!(wait_ns(true, 9_000_000), 4_000_000, "due at 2 ms");
    }

    #[test]
    fn requests_that_still_run_are_requests_of_the_next_source_too() {
        let mut dispatcher = Dispatcher::new(2);
        dispatcher.set_source(open(1000.0, 10_000_000));
        assert_eq!(poll(&mut dispatcher, 0, 0).unwrap().number, 0);
        dispatcher.release(5_000_000);
        assert_eq!(
            dispatcher.open_requests().collect::<Vec<_>>(),
            (0..=5).map(|ms| ms * 1_000_000).collect::<Vec<_>>()
        );
        dispatcher.set_source(open(1000.0, 10_000_000));
        let DispatchCounts {
            released,
            carried,
            running,
            ..
        } = dispatcher.counts();
        assert_eq!((released, carried, running), (1, 1, 1));
        dispatcher.finish(0);
        assert!(dispatcher.is_drained() && dispatcher.open_requests().next().is_none());
    }

    #[test]
    fn a_closed_loop_never_queues() {
        let mut dispatcher = Dispatcher::new(2);
        assert!(poll(&mut dispatcher, 0, 0).is_none());
        dispatcher.set_source(source(&Pace::Closed, 100, 200));
        dispatcher.release(99);
        assert_eq!(dispatcher.counts().released, 0);
        dispatcher.release(100);
        assert_eq!(poll(&mut dispatcher, 0, 100).unwrap().due_ns, None);
        assert!(poll(&mut dispatcher, 1, 150).is_some() && poll(&mut dispatcher, 0, 200).is_none());
        assert_eq!(dispatcher.backlog(), 0);
    }

    /// One event at a dispatcher with three connections.
    #[derive(Clone, Debug)]
    enum Step {
        Time(u64),
        Poll(usize),
        Finish(usize),
    }

    fn steps() -> impl Strategy<Value = Vec<Step>> {
        let step = prop_oneof![
            (0u64..3_000_000).prop_map(Step::Time),
            (0usize..3).prop_map(Step::Poll),
            (0usize..3).prop_map(Step::Finish),
        ];
        proptest::collection::vec(step, 0..200)
    }

    proptest! {
        #[test]
        fn each_due_request_is_handed_out_once(steps in steps()) {
            let mut dispatcher = Dispatcher::new(3);
            dispatcher.set_source(open(1000.0, 50_000_000));
            let (mut now, mut busy, mut served) = (0, [false; 3], BTreeMap::new());
            for step in steps {
                match step {
                    Step::Time(passed) => { now += passed; dispatcher.release(now); }
                    Step::Poll(slot) if !busy[slot] => if let Some(request) = poll(&mut dispatcher, slot, now) {
                        busy[slot] = true;
                        prop_assert!(request.due_ns.unwrap() <= now);
                        prop_assert_eq!(served.insert(request.number, request), None);
                    },
                    Step::Finish(slot) if busy[slot] => { busy[slot] = false; dispatcher.finish(slot); }
                    Step::Poll(_) | Step::Finish(_) => {}
                }
                let counts = dispatcher.counts();
                prop_assert!(dispatcher.backlog() == 0 || dispatcher.idle.is_empty());
                prop_assert!(served.len() as u64 + dispatcher.backlog() <= counts.released);
                let running = busy.iter().filter(|&&busy| busy).count() as u64;
                prop_assert!(counts.running >= running && counts.running <= 3);
            }
            // Everything due is served once all connections come back.
            for round in 0..200 {
                let slot = round % 3;
                if std::mem::take(&mut busy[slot]) { dispatcher.finish(slot); }
                if let Some(request) = poll(&mut dispatcher, slot, now) {
                    busy[slot] = true;
                    prop_assert_eq!(served.insert(request.number, request), None);
                }
            }
            prop_assert_eq!(served.len() as u64, dispatcher.counts().released);
            prop_assert!(served.keys().copied().eq(0..dispatcher.counts().released));
        }
    }
}
