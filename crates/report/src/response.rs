//! From the client to the cause: what a request's response time was made of.
//!
//! A connection's thread of the server blocks in a system call that waits for the client until a request comes. From
//! its wake-up until it blocks there again it serves: that is a visit. A request's time outside of visits is the
//! client's and the network's, both ways; inside of one it is before, in, or after a commit.

use std::collections::VecDeque;

use logtrace_events::{Commit, OffCpu, Outcome, Request, Tid, Wake};
use rustc_hash::FxHashMap;

use crate::blocked::is_client_wait;
use crate::breakdown::ResponseTotal;
use crate::gaps::Gaps;
use crate::window::Window;

/// Visits of one thread that wait for the request that they served: requests come by another way than records.
const KEPT: usize = 1 << 10;

/// Joins requests with what the threads of their connections did.
#[derive(Debug, Default)]
pub(crate) struct Responses {
    threads: FxHashMap<Tid, Thread>,
    total: ResponseTotal,
}

#[derive(Debug, Default)]
struct Thread {
    visits: VecDeque<Visit>,
    requests: VecDeque<Request>,
    /// When the client was waited for last.
    idle_ns: u64,
}

/// A thread serves its client.
#[derive(Debug)]
pub(crate) struct Visit {
    /// From its wake-up until it waits for the client again.
    pub(crate) window: Window,
    /// The commits in it, in order.
    pub(crate) commits: Vec<Window>,
    /// What the thread did before this is not known, where the tracer had not looked.
    known_from_ns: u64,
}

impl Responses {
    /// A thread was off the CPU. Hands the visit that this ended to `ended`.
    pub(crate) fn push_off_cpu(&mut self, off: &OffCpu, gaps: &Gaps, ended: impl FnOnce(&Visit)) {
        if off.syscall.is_some_and(is_client_wait) && off.wake != Wake::Preempted {
            let thread = self.threads.entry(off.tid).or_default();
            if let Some(visit) = thread.open_visit() {
                visit.window.end_ns = off.out_ns;
                ended(visit);
            }
            thread.waited(off, gaps);
            thread.resolve(&mut self.total, gaps);
        }
    }

    /// A thread committed.
    pub(crate) fn push_commit(&mut self, commit: &Commit) {
        let thread = self.threads.get_mut(&commit.tid);
        if let Some(visit) = thread.and_then(Thread::open_visit) {
            visit.commits.push(Window::new(commit.start_ns, commit.end_ns));
        }
    }

    /// A request is over; requests of one connection come in their order. Those that the server did not do, or whose
    /// connection's thread is not known, have no parts.
    pub(crate) fn push_request(&mut self, request: &Request, gaps: &Gaps) {
        match (request.outcome, request.thread) {
            (Outcome::Done, Some(tid)) => {
                let thread = self.threads.entry(tid).or_default();
                thread.requests.push_back(*request);
                thread.resolve(&mut self.total, gaps);
            }
            (Outcome::Done, None) => self.total.unjoined += 1,
            _ => {}
        }
    }

    /// The tracer did not look in `gap`: when the visits that go on ended is not known.
    pub(crate) fn interrupt(&mut self, gap: Window) {
        for visit in self.threads.values_mut().filter_map(Thread::open_visit) {
            visit.window.end_ns = gap.start_ns;
        }
    }

    /// The sums over all requests.
    pub(crate) fn finish(mut self, gaps: &Gaps) -> ResponseTotal {
        for thread in self.threads.values_mut() {
            thread.idle_ns = u64::MAX;
            thread.resolve(&mut self.total, gaps);
        }
        self.total
    }
}

impl Thread {
    /// The thread has waited for its client: that begins a visit.
    fn waited(&mut self, off: &OffCpu, gaps: &Gaps) {
        let newest = self.visits.back();
        let is_known = newest.is_some_and(|visit| visit.window.end_ns >= gaps.seen_from_ns());
        if self.visits.len() == KEPT {
            self.visits.pop_front();
        }
        let woken_ns = match off.wake {
            Wake::By { at_ns, .. } => at_ns,
            Wake::Preempted | Wake::Unknown => off.in_ns,
        };
        self.idle_ns = woken_ns;
        self.visits.push_back(Visit {
            window: Window::new(woken_ns, u64::MAX),
            commits: Vec::new(),
            known_from_ns: if is_known { 0 } else { off.out_ns },
        });
    }

    /// The visit that goes on.
    fn open_visit(&mut self) -> Option<&mut Visit> {
        let newest = self.visits.back_mut();
        newest.filter(|visit| visit.window.end_ns == u64::MAX)
    }

    /// Takes apart the requests that ended before the thread waited for its client last: nothing more can come to
    /// them.
    fn resolve(&mut self, total: &mut ResponseTotal, gaps: &Gaps) {
        while let Some(request) = self
            .requests
            .pop_front_if(|request| request.done_ns <= self.idle_ns)
        {
            let service = Window::new(request.sent_ns, request.done_ns);
            while self
                .visits
                .pop_front_if(|visit| visit.window.end_ns <= service.start_ns)
                .is_some()
            {}
            let visits = self
                .visits
                .iter()
                .take_while(|visit| visit.window.start_ns < service.end_ns);
            if is_seen(service, visits.clone(), gaps) {
                add(total, &request, service, visits);
            } else {
                total.untraced += 1;
            }
        }
    }
}

/// Whether the tracer looked all the time that a request took, and already knew what its thread was doing.
fn is_seen<'a>(service: Window, mut visits: impl Iterator<Item = &'a Visit>, gaps: &Gaps) -> bool {
    gaps.is_empty()
        || (!gaps.meet(service)
            && visits
                .next()
                .is_some_and(|first| first.known_from_ns <= service.start_ns))
}

fn add<'a>(
    total: &mut ResponseTotal,
    request: &Request,
    service: Window,
    visits: impl Iterator<Item = &'a Visit>,
) {
    let (mut serving_ns, mut before_ns, mut commit_ns, mut after_ns) = (0, 0, 0, 0);
    for visit in visits {
        let serving = visit.window.within(service);
        serving_ns += serving.length_ns();
        let mut at_ns = serving.start_ns;
        for commit in visit.commits.iter().map(|commit| commit.within(serving)) {
            if !commit.is_empty() {
                before_ns += commit.start_ns - at_ns;
                commit_ns += commit.length_ns();
                at_ns = commit.end_ns;
            }
        }
        let rest_ns = serving.since(at_ns).length_ns();
        if at_ns > serving.start_ns {
            after_ns += rest_ns;
        } else {
            before_ns += rest_ns;
        }
    }
    if serving_ns == 0 {
        total.unjoined += 1;
        return;
    }
    total.requests += 1;
    total.total_ns += request.lag_ns() + request.service_ns();
    total.lag_ns += request.lag_ns();
    total.client_ns += request.service_ns() - serving_ns;
    total.before_ns += before_ns;
    total.commit_ns += commit_ns;
    total.after_ns += after_ns;
}

#[cfg(test)]
mod tests {
    use logtrace_events::Gap;
    use proptest::prelude::*;

    use super::*;

    const THREAD: Tid = 7;
    const POLL: u16 = 7;

    fn waited(out_ns: u64, woken_ns: u64) -> OffCpu {
        OffCpu {
            tid: THREAD,
            out_ns,
            in_ns: woken_ns + 1,
            wake: Wake::By {
                at_ns: woken_ns,
                tid: 1,
                tgid: 1,
                commit_ns: None,
                syscall: Some(44),
            },
            syscall: Some(POLL),
            stack: None,
        }
    }

    fn commit(start_ns: u64, end_ns: u64) -> Commit {
        Commit {
            tid: THREAD,
            start_ns,
            end_ns,
        }
    }

    fn request(due_ns: u64, sent_ns: u64, done_ns: u64) -> Request {
        Request {
            due_ns,
            sent_ns,
            done_ns,
            outcome: Outcome::Done,
            retries: 0,
            thread: Some(THREAD),
        }
    }

    #[test]
    fn a_request_is_taken_apart_where_its_thread_waited_for_the_client() {
        let mut responses = Responses::default();
        responses.push_off_cpu(&waited(0, 110), &Gaps::default(), |_| ());
        responses.push_commit(&commit(130, 190));
        responses.push_request(&request(90, 100, 220), &Gaps::default());
        responses.push_off_cpu(&waited(205, 310), &Gaps::default(), |_| ());
        let total = responses.finish(&Gaps::default());
        assert_eq!(
            total,
            ResponseTotal {
                requests: 1,
                unjoined: 0,
                untraced: 0,
                total_ns: 130,
                lag_ns: 10,
                client_ns: 10 + 15,
                before_ns: 20,
                commit_ns: 60,
                after_ns: 15,
            }
        );
    }

    #[test]
    fn a_transaction_of_several_statements_waits_for_its_client_in_between() {
        let mut responses = Responses::default();
        for (out, woken) in [(0, 100), (120, 140)] {
            responses.push_off_cpu(&waited(out, woken), &Gaps::default(), |_| ());
        }
        responses.push_commit(&commit(150, 170));
        responses.push_off_cpu(&waited(175, 300), &Gaps::default(), |_| ());
        responses.push_request(&request(95, 95, 180), &Gaps::default());
        let total = responses.finish(&Gaps::default());
        assert_eq!((total.client_ns, total.before_ns), (5 + 20 + 5, 20 + 10));
        assert_eq!((total.commit_ns, total.after_ns), (20, 5));
    }

    #[test]
    fn requests_may_come_before_or_after_their_records() {
        let mut responses = Responses::default();
        responses.push_request(&request(10, 10, 50), &Gaps::default());
        responses.push_off_cpu(&waited(0, 15), &Gaps::default(), |_| ());
        responses.push_off_cpu(&waited(45, 65), &Gaps::default(), |_| ());
        responses.push_off_cpu(&waited(95, 115), &Gaps::default(), |_| ());
        responses.push_request(&request(60, 60, 100), &Gaps::default());
        let total = responses.finish(&Gaps::default());
        assert_eq!((total.requests, total.client_ns), (2, 5 + 5 + 5 + 5));
    }

    #[test]
    fn what_cannot_be_joined_is_counted() {
        let mut responses = Responses::default();
        responses.push_request(&request(0, 0, 10), &Gaps::default());
        responses.push_request(
            &Request {
                thread: None,
                ..request(0, 0, 10)
            },
            &Gaps::default(),
        );
        responses.push_request(
            &Request {
                outcome: Outcome::Disconnected,
                ..request(0, 0, 10)
            },
            &Gaps::default(),
        );
        let total = responses.finish(&Gaps::default());
        assert_eq!((total.requests, total.unjoined, total.total_ns), (0, 2, 0));
    }

    #[test]
    fn requests_that_were_not_seen_from_end_to_end_are_counted() {
        let mut responses = Responses::default();
        let mut gaps = Gaps::default();
        responses.push_off_cpu(&waited(0, 105), &gaps, |_| ());
        responses.push_off_cpu(&waited(115, 145), &gaps, |_| ());
        responses.push_request(&request(100, 100, 120), &gaps);
        let gap = Gap {
            start_ns: 150,
            end_ns: 250,
        };
        assert!(gaps.push(gap, Window::new(0, 1_000)));
        responses.interrupt(Window::new(150, 250));
        // When the thread began to wait for the second of these is not known.
        for (due_ns, done_ns) in [(140, 260), (270, 300), (340, 370)] {
            responses.push_request(&request(due_ns, due_ns, done_ns), &gaps);
        }
        responses.push_commit(&commit(280, 290));
        responses.push_off_cpu(&waited(295, 345), &gaps, |visit| {
            panic!("{visit:?} was not seen to end")
        });
        responses.push_off_cpu(&waited(365, 400), &gaps, |_| ());
        let total = responses.finish(&gaps);
        assert_eq!((total.requests, total.untraced, total.unjoined), (2, 2, 0));
        assert_eq!((total.commit_ns, total.total_ns), (0, 20 + 30));
    }

    proptest! {
        #[test]
        fn the_parts_of_a_response_sum_to_it(
            gaps in proptest::collection::vec((1u64..50, 0u64..50, 0u64..50, 0u64..50, 0u64..20), 1..40),
        ) {
            let mut responses = Responses::default();
            let (mut at, mut expected) = (0, 0);
            for (wait, before, length, after, lag) in gaps {
                let woken = at + wait;
                responses.push_off_cpu(&waited(at, woken), &Gaps::default(), |_| ());
                let start = woken + before;
                if length > 0 {
                    responses.push_commit(&commit(start, start + length));
                }
                at = start + length + after;
                let asked = request(woken.saturating_sub(wait / 2 + lag), woken - wait / 2, at + wait / 3 + 1);
                expected += asked.response_ns();
                responses.push_request(&asked, &Gaps::default());
            }
            let total = responses.finish(&Gaps::default());
            let parts = total.lag_ns + total.client_ns + total.before_ns + total.commit_ns + total.after_ns;
            prop_assert_eq!(parts, total.total_ns);
            if total.unjoined == 0 {
                prop_assert_eq!(total.total_ns, expected);
            }
        }
    }
}
