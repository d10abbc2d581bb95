//! Requests: parts of a response time, from the client to the server's commit.
//!
//! The server's thread of a connection blocks in a system call that waits for the client until a request comes. The time
//! from its wake-up until it blocks there again is a visit. If the next request has already arrived, a wait of length 0
//! ends one visit and begins the next. A request's time outside visits belongs to the client and the network, in both
//! directions. Its time inside a visit is before, in, or after a commit.
//!
//! Requests come from the driver and records from the kernel, at different times. So the segments of a visit are stored
//! until its request is known, and are then cut at the edges of the request: the flame graph of response times sums to
//! the response times exactly. It has files of its own, because the sum of commits is another one. Without requests, no
//! segments are stored.

pub(crate) mod lock_holders;
pub(crate) mod long_waits;
pub(crate) mod other_clients;
pub(crate) mod part;
pub(crate) mod parts;
pub(crate) mod visit;

use std::collections::VecDeque;

use logtrace_common::TimeRange;
use logtrace_events::{Commit, OffCpu, Outcome, Request, ThreadEnd, Tid, Wake};
use rustc_hash::FxHashMap;

use crate::causes::wakeup::waits_for_request;
use crate::charging::Segment;
use crate::requests::parts::PartTotals;
use crate::requests::visit::{StackSegment, Visit};
use crate::timeline::lost_periods::LostPeriods;
use crate::timeline::room::{Room, is_forgettable};

/// Limit on stored visits of a thread, if requests are expected. A visit is stored until its request arrives, separately
/// from the records. Without requests only the last visit is stored.
const KEPT: usize = 1 << 10;

/// Length of a visit from which its session is named: whoever it holds up is known only at its end, when its client may have
/// gone.
const LONG_VISIT_NS: u64 = 1_000_000_000;

/// Limit on sessions that are named at a time.
const MOST_NAMED: usize = 64;

/// Matches requests with the visits of their connections' threads.
#[derive(Debug, Default)]
pub(crate) struct RequestMatcher {
    threads: FxHashMap<Tid, Thread>,
    room: Room,
    parts: PartTotals,
    unseen: Unseen,
    /// Whether requests will be added. Visits are then stored with their segments.
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
    /// Visit that is over, whose memory the next one uses.
    spare: Option<Visit>,
    requests: VecDeque<Request>,
    /// Time of the last wait for the client.
    idle_ns: u64,
    /// Whether the session of the open visit is named.
    is_named: bool,
    ended_ns: Option<u64>,
}

impl RequestMatcher {
    /// Notes that records made within `period` were lost.
    pub(crate) fn push_lost(&mut self, period: TimeRange) {
        self.unseen.lost.push(period);
    }

    /// Adds a gap in the trace. The ends of open visits are then unknown.
    pub(crate) fn interrupt(&mut self, gap: TimeRange) {
        self.unseen.gaps.push(gap);
        self.unseen.seen_from_ns = gap.end_ns;
        for visit in self.threads.values_mut().filter_map(Thread::open_visit) {
            visit.range.end_ns = gap.start_ns;
        }
    }

    /// Adds an off-CPU interval. `explain` returns the segments outside commits of the visit that it ended.
    pub(crate) fn push_off_cpu<'a>(&mut self, off: &OffCpu, explain: impl FnOnce(&Visit) -> &'a [Segment]) {
        if waits_for_request(off) {
            if self.room.is_full(self.threads.len()) {
                self.forget(off.in_ns);
            }
            let thread = self.threads.entry(off.tid).or_default();
            thread.ended_ns = None;
            if let Some(visit) = thread.open_visit() {
                visit.range.end_ns = off.out_ns;
                let outside = explain(visit);
                if self.is_expected {
                    visit.outside.extend_from_slice(outside);
                }
            }
            let kept = if self.is_expected { KEPT } else { 1 };
            thread.waited(off, self.unseen.seen_from_ns, kept);
            thread.resolve(&self.unseen, &mut self.parts);
        }
    }

    /// Returns the threads whose visits have become long, each once, the longest first.
    pub(crate) fn take_long(&mut self, now_ns: u64) -> Vec<Tid> {
        let long = self.threads.iter_mut().filter_map(|(&tid, thread)| {
            let start_ns = thread.open_visit()?.range.start_ns;
            let is_new = !thread.is_named && start_ns + LONG_VISIT_NS <= now_ns && thread.ended_ns.is_none();
            is_new.then_some((start_ns, tid, &mut thread.is_named))
        });
        let mut long: Vec<(u64, Tid, &mut bool)> = long.collect();
        long.sort_unstable_by_key(|&(start_ns, tid, _)| (start_ns, tid));
        let named = long.into_iter().take(MOST_NAMED);
        named
            .map(|(_, tid, is_named)| {
                *is_named = true;
                tid
            })
            .collect()
    }

    /// Notes the end of a thread.
    pub(crate) fn push_thread_end(&mut self, end: ThreadEnd) {
        if let Some(thread) = self.threads.get_mut(&end.tid) {
            thread.ended_ns = Some(end.at_ns);
        }
    }

    /// Forgets the threads without open requests that ended before `now_ns`, or were silent for long.
    fn forget(&mut self, now_ns: u64) {
        self.threads.retain(|_, thread| {
            let is_old = is_forgettable(now_ns, thread.idle_ns, thread.ended_ns);
            !(is_old && thread.requests.is_empty())
        });
        self.room.make(self.threads.len());
    }

    /// Adds a commit with its segments, each with the number of its stack.
    pub(crate) fn push_commit<'a>(
        &mut self,
        commit: &Commit,
        segments: impl Iterator<Item = (&'a Segment, usize)>,
    ) {
        let thread = self.threads.get_mut(&commit.tid);
        if let Some(visit) = thread.and_then(Thread::open_visit) {
            visit.commits.push(TimeRange::new(commit.start_ns, commit.end_ns));
            if self.is_expected {
                visit.inside.extend(segments.map(|(segment, stack)| StackSegment {
                    range: segment.range,
                    stack,
                }));
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
            (Outcome::Done, None) => self.parts.counts.unmatched += 1,
            _ => {}
        }
    }

    /// Returns the threads with a visit that began before `until_ns` and goes on.
    pub(crate) fn open_visits(&self, until_ns: u64) -> impl Iterator<Item = Tid> {
        let is_open = move |thread: &Thread| {
            let newest = thread
                .visits
                .back()
                .map_or(TimeRange::default(), |visit| visit.range);
            newest.end_ns == u64::MAX && newest.start_ns < until_ns && thread.ended_ns.is_none()
        };
        let threads = self.threads.iter();
        threads.filter_map(move |(&tid, thread)| is_open(thread).then_some(tid))
    }

    /// Ends the matching and returns the sums over all requests.
    pub(crate) fn finish(mut self) -> PartTotals {
        for thread in self.threads.values_mut() {
            thread.idle_ns = u64::MAX;
            thread.resolve(&self.unseen, &mut self.parts);
        }
        self.parts
    }
}

impl Thread {
    /// Begins a visit after a wait for the client, as the last of at most `kept` visits.
    fn waited(&mut self, off: &OffCpu, seen_from_ns: u64, kept: usize) {
        let newest = self.visits.back();
        let is_known = newest.is_some_and(|visit| visit.range.end_ns >= seen_from_ns);
        while self.visits.len() >= kept {
            self.spare = self.visits.pop_front();
        }
        let woken_ns = match off.wake {
            Wake::By { at_ns, .. } => at_ns,
            Wake::Preempted | Wake::Unknown => off.in_ns,
        };
        self.idle_ns = woken_ns;
        let known_from_ns = if is_known { 0 } else { off.out_ns };
        let spare = self.spare.take().unwrap_or_default();
        self.is_named = false;
        self.visits.push_back(spare.renewed(woken_ns, known_from_ns));
    }

    /// Returns the visit that has not ended.
    fn open_visit(&mut self) -> Option<&mut Visit> {
        let newest = self.visits.back_mut();
        newest.filter(|visit| visit.range.end_ns == u64::MAX)
    }

    /// Splits the requests that ended before the thread's last wait for its client: their records are complete.
    fn resolve(&mut self, unseen: &Unseen, parts: &mut PartTotals) {
        while let Some(request) = self
            .requests
            .pop_front_if(|request| request.done_ns <= self.idle_ns)
        {
            while let Some(over) = self
                .visits
                .pop_front_if(|visit| visit.range.end_ns <= request.sent_ns)
            {
                self.spare = Some(over);
            }
            let service = TimeRange::new(request.sent_ns, request.done_ns);
            let visits = self.visits.iter();
            let visits = visits.take_while(|visit| visit.range.start_ns < request.done_ns);
            if !unseen.is_traced(service, visits.clone()) {
                parts.counts.untraced += 1;
            } else if unseen.lost.meet(service) {
                parts.counts.unmatched += 1;
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
mod tests;
