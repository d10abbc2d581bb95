//! Join of requests with the server threads that served them.
//!
//! The server's thread of a connection blocks in a system call that waits for the client until a request comes. The time
//! from its wake-up until it blocks there again is a visit. If the next request has already arrived, a wait of length 0
//! ends one visit and begins the next. A request's time outside visits belongs to the client and the network, in both
//! directions. Its time inside a visit is before, in, or after a commit.

use logtrace_common::TimeRange;
use std::collections::VecDeque;

use logtrace_events::{Commit, OffCpu, Outcome, Request, Tid, Wake};
use rustc_hash::FxHashMap;

use crate::attribution::segment::Segment;
use crate::causes::wakeup::waits_for_request;
use crate::requests::parts::PartTotals;
use crate::requests::visit::Visit;
use crate::timeline::lost_periods::LostPeriods;

/// Limit on stored visits of a thread. A visit is stored until its request arrives, separately from the records.
const KEPT: usize = 1 << 10;

/// Joins requests with the visits of their connections' threads.
#[derive(Debug, Default)]
pub(crate) struct Responses {
    threads: FxHashMap<Tid, Thread>,
    parts: PartTotals,
    unseen: Unseen,
    /// Whether requests will be added. Visits then store their segments.
    pub(crate) is_expected: bool,
}

/// Times with missing records.
#[derive(Debug, Default)]
struct Unseen {
    /// Lost records.
    lost: LostPeriods,
    /// Gaps between bursts.
    gaps: LostPeriods,
    /// End of the last gap; 0 before the first.
    seen_from_ns: u64,
}

#[derive(Debug, Default)]
struct Thread {
    visits: VecDeque<Visit>,
    requests: VecDeque<Request>,
    /// Time of the last wait for the client.
    idle_ns: u64,
}

impl Responses {
    /// Notes that records made within `period` were lost.
    pub(crate) fn push_lost(&mut self, period: TimeRange) {
        self.unseen.lost.push(period);
    }

    /// Adds a gap in the trace. The ends of open visits are then unknown.
    pub(crate) fn interrupt(&mut self, gap: TimeRange) {
        self.unseen.gaps.push(gap);
        self.unseen.seen_from_ns = gap.end_ns;
        for visit in self.threads.values_mut().filter_map(Thread::open_visit) {
            visit.window.end_ns = gap.start_ns;
        }
    }

    /// Adds an off-CPU interval. `explain` returns the segments outside commits of the visit that it ended.
    pub(crate) fn push_off_cpu<'a>(&mut self, off: &OffCpu, explain: impl FnOnce(&Visit) -> &'a [Segment]) {
        if waits_for_request(off) {
            let thread = self.threads.entry(off.tid).or_default();
            if let Some(visit) = thread.open_visit() {
                visit.window.end_ns = off.out_ns;
                let outside = explain(visit);
                if self.is_expected {
                    visit.outside.extend_from_slice(outside);
                }
            }
            thread.waited(off, self.unseen.seen_from_ns);
            thread.resolve(&self.unseen, &mut self.parts);
        }
    }

    /// Adds a commit with its segments.
    pub(crate) fn push_commit(&mut self, commit: &Commit, segments: &[Segment]) {
        let thread = self.threads.get_mut(&commit.tid);
        if let Some(visit) = thread.and_then(Thread::open_visit) {
            visit.commits.push(TimeRange::new(commit.start_ns, commit.end_ns));
            if self.is_expected {
                visit.inside.extend_from_slice(segments);
            }
        }
    }

    /// Adds a finished request; requests of one connection in their order. A request that the server did not do, or with an
    /// unknown thread, has no parts.
    pub(crate) fn push_request(&mut self, request: &Request) {
        match (request.outcome, request.thread) {
            (Outcome::Done, Some(tid)) => {
                let thread = self.threads.entry(tid).or_default();
                thread.requests.push_back(*request);
                thread.resolve(&self.unseen, &mut self.parts);
            }
            (Outcome::Done, None) => self.parts.counts.unjoined += 1,
            _ => {}
        }
    }

    /// Ends the join and returns the sums over all requests.
    pub(crate) fn finish(mut self) -> PartTotals {
        for thread in self.threads.values_mut() {
            thread.idle_ns = u64::MAX;
            thread.resolve(&self.unseen, &mut self.parts);
        }
        self.parts
    }
}

impl Thread {
    /// Begins a visit after a wait for the client.
    fn waited(&mut self, off: &OffCpu, seen_from_ns: u64) {
        let newest = self.visits.back();
        let is_known = newest.is_some_and(|visit| visit.window.end_ns >= seen_from_ns);
        if self.visits.len() == KEPT {
            self.visits.pop_front();
        }
        let woken_ns = match off.wake {
            Wake::By { at_ns, .. } => at_ns,
            Wake::Preempted | Wake::Unknown => off.in_ns,
        };
        self.idle_ns = woken_ns;
        self.visits.push_back(Visit {
            window: TimeRange::new(woken_ns, u64::MAX),
            commits: Vec::new(),
            inside: Vec::new(),
            outside: Vec::new(),
            known_from_ns: if is_known { 0 } else { off.out_ns },
        });
    }

    /// Returns the visit that has not ended.
    fn open_visit(&mut self) -> Option<&mut Visit> {
        let newest = self.visits.back_mut();
        newest.filter(|visit| visit.window.end_ns == u64::MAX)
    }

    /// Splits the requests that ended before the thread's last wait for its client: their records are complete.
    fn resolve(&mut self, unseen: &Unseen, parts: &mut PartTotals) {
        while let Some(request) = self
            .requests
            .pop_front_if(|request| request.done_ns <= self.idle_ns)
        {
            while self
                .visits
                .pop_front_if(|visit| visit.window.end_ns <= request.sent_ns)
                .is_some()
            {}
            let service = TimeRange::new(request.sent_ns, request.done_ns);
            let visits = self.visits.iter();
            let visits = visits.take_while(|visit| visit.window.start_ns < request.done_ns);
            if !unseen.is_traced(service, visits.clone()) {
                parts.counts.untraced += 1;
            } else if unseen.lost.meet(service) {
                parts.counts.unjoined += 1;
            } else {
                parts.add(&request, visits);
            }
        }
    }
}

impl Unseen {
    /// Returns whether a request was traced from end to end, and its thread's activity was known at its start.
    fn is_traced<'a>(&self, service: TimeRange, mut visits: impl Iterator<Item = &'a Visit>) -> bool {
        let is_known = |first: &Visit| first.known_from_ns <= service.start_ns;
        self.seen_from_ns == 0 || (!self.gaps.meet(service) && visits.next().is_some_and(is_known))
    }
}

#[cfg(test)]
mod tests {
    use logtrace_events::CpuWait;
    use proptest::prelude::*;

    use super::*;
    use crate::requests::parts::Response;

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
            cpu_wait: CpuWait::Unknown,
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
            connection_wait_ns: 0,
            sent_ns,
            attempt_ns: sent_ns,
            done_ns,
            outcome: Outcome::Done,
            retries: 0,
            thread: Some(THREAD),
        }
    }

    #[test]
    fn a_request_is_taken_apart_where_its_thread_waited_for_the_client() {
        let mut responses = Responses::default();
        responses.push_off_cpu(&waited(0, 110), |_| &[]);
        responses.push_commit(&commit(130, 190), &[]);
        responses.push_request(&request(90, 100, 220));
        responses.push_off_cpu(&waited(205, 310), |_| &[]);
        let total = responses.finish().total();
        assert_eq!(
            total,
            Response {
                requests: 1,
                unjoined: 0,
                untraced: 0,
                total: 130,
                lag: 10,
                client: 10 + 15,
                before_commit: 20,
                commit: 60,
                after_commit: 15,
            }
        );
    }

    #[test]
    fn a_transaction_of_several_statements_waits_for_its_client_in_between() {
        let mut responses = Responses::default();
        for (out, woken) in [(0, 100), (120, 140)] {
            responses.push_off_cpu(&waited(out, woken), |_| &[]);
        }
        responses.push_commit(&commit(150, 170), &[]);
        responses.push_off_cpu(&waited(175, 300), |_| &[]);
        responses.push_request(&request(95, 95, 180));
        let total = responses.finish().total();
        assert_eq!((total.client, total.before_commit), (5 + 20 + 5, 20 + 10));
        assert_eq!((total.commit, total.after_commit), (20, 5));
    }

    #[test]
    fn a_request_that_was_there_already_begins_without_a_wait() {
        let found = |at_ns| OffCpu {
            in_ns: at_ns,
            wake: Wake::Unknown,
            ..waited(at_ns, at_ns)
        };
        let mut responses = Responses::default();
        responses.push_off_cpu(&waited(0, 100), |_| &[]);
        responses.push_commit(&commit(110, 130), &[]);
        let mut ended = Vec::new();
        for at_ns in [150, 170] {
            responses.push_off_cpu(&found(at_ns), |visit| {
                ended.push(visit.window);
                &[]
            });
        }
        // The first is answered at 140; the second comes at 145, while the server still logs the first.
        for (sent_ns, done_ns) in [(95, 140), (145, 165)] {
            responses.push_request(&request(sent_ns, sent_ns, done_ns));
        }
        assert_eq!(ended, [TimeRange::new(100, 150), TimeRange::new(150, 170)]);
        let total = responses.finish().total();
        assert_eq!((total.requests, total.client, total.commit), (2, 5, 20));
        assert_eq!((total.before_commit, total.after_commit), (10 + 5 + 15, 10));
    }

    #[test]
    fn requests_may_come_before_or_after_their_records() {
        let mut responses = Responses::default();
        responses.push_request(&request(10, 10, 50));
        responses.push_off_cpu(&waited(0, 15), |_| &[]);
        responses.push_off_cpu(&waited(45, 65), |_| &[]);
        responses.push_off_cpu(&waited(95, 115), |_| &[]);
        responses.push_request(&request(60, 60, 100));
        let total = responses.finish().total();
        assert_eq!((total.requests, total.client), (2, 5 + 5 + 5 + 5));
    }

    #[test]
    fn what_cannot_be_joined_is_counted() {
        let mut responses = Responses::default();
        responses.push_request(&request(0, 0, 10));
        responses.push_request(&Request {
            thread: None,
            ..request(0, 0, 10)
        });
        responses.push_request(&Request {
            outcome: Outcome::Disconnected,
            ..request(0, 0, 10)
        });
        let total = responses.finish().total();
        assert_eq!((total.requests, total.unjoined, total.total), (0, 2, 0));
    }

    #[test]
    fn requests_that_were_not_seen_from_end_to_end_are_counted() {
        let mut responses = Responses::default();
        responses.push_off_cpu(&waited(0, 105), |_| &[]);
        responses.push_off_cpu(&waited(115, 145), |_| &[]);
        responses.push_request(&request(100, 100, 120));
        responses.interrupt(TimeRange::new(150, 250));
        // When the thread began to wait for the second of these is not known.
        for (due_ns, done_ns) in [(140, 260), (270, 300), (340, 370)] {
            responses.push_request(&request(due_ns, due_ns, done_ns));
        }
        responses.push_commit(&commit(280, 290), &[]);
        responses.push_off_cpu(&waited(295, 345), |visit| panic!("{visit:?} was not seen to end"));
        responses.push_off_cpu(&waited(365, 400), |_| &[]);
        let total = responses.finish().total();
        assert_eq!((total.requests, total.untraced, total.unjoined), (2, 2, 0));
        assert_eq!((total.commit, total.total), (0, 20 + 30));
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
                responses.push_off_cpu(&waited(at, woken), |_| &[]);
                let start = woken + before;
                if length > 0 {
                    responses.push_commit(&commit(start, start + length), &[]);
                }
                at = start + length + after;
                let asked = request(woken.saturating_sub(wait / 2 + lag), woken - wait / 2, at + wait / 3 + 1);
                expected += asked.response_ns();
                responses.push_request(&asked);
            }
            let total = responses.finish().total();
            let parts = total.lag + total.client + total.before_commit + total.commit + total.after_commit;
            prop_assert_eq!(parts, total.total);
            if total.unjoined == 0 {
                prop_assert_eq!(total.total, expected);
            }
        }
    }
}
