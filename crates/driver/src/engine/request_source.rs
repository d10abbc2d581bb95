//! Sources of requests in one phase of a drive.

use std::iter::Peekable;

use logtrace_common::TimeRange;
use logtrace_common::random::Stream;

use crate::engine::share::Share;
use crate::schedule::arrivals::Offsets;
use crate::schedule::pace::Pace;

/// Request that is not dispatched yet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ScheduledRequest {
    /// Number of the request in its phase, from 0.
    pub(crate) number: u64,
    /// Base of its random values; see [`logtrace_common::random::nth_rng`].
    pub(crate) base: u64,
    /// Due time; `None` in a closed loop, where a request is due when it is sent.
    pub(crate) due_ns: Option<u64>,
    /// Time for which it was due and no connection was free, in nanoseconds.
    pub(crate) connection_wait_ns: u64,
}

/// Source of the requests of one phase.
#[derive(Debug)]
pub(crate) struct RequestSource {
    /// Due times of an open loop, which do not depend on the server. `None` in a closed loop: a request is due whenever a
    /// connection is idle.
    offsets: Option<Peekable<Offsets>>,
    /// Time range of the phase. Requests are due before its end.
    range: TimeRange,
    /// Number of the next request.
    next: u64,
    /// Distance between the numbers of two requests: the number of shares of a closed loop.
    step: u64,
    base: u64,
}

impl RequestSource {
    /// Creates the source of a share of one phase. An open loop has a single share.
    pub(crate) fn new(pace: &Pace, range: TimeRange, values: Stream, seed: u64, share: Share) -> Self {
        Self {
            offsets: pace.offsets_ns(seed).map(Iterator::peekable),
            range,
            next: share.number as u64,
            step: share.of.get() as u64,
            base: values.base(seed),
        }
    }

    /// Returns the next request that is due by now.
    pub(crate) fn next(&mut self, now_ns: u64) -> Option<ScheduledRequest> {
        let due_ns = self.next_due_ns(now_ns);
        match &mut self.offsets {
            Some(offsets) => {
                due_ns.filter(|&due_ns| due_ns <= now_ns)?;
                offsets.next();
            }
            None if due_ns.is_some() || now_ns >= self.range.end_ns => return None,
            None => {}
        }
        let number = self.next;
        self.next += self.step;
        Some(ScheduledRequest {
            number,
            base: self.base,
            due_ns,
            connection_wait_ns: 0,
        })
    }

    /// Returns whether requests wait when no connection is idle.
    pub(crate) fn queues(&self) -> bool {
        self.offsets.is_some()
    }

    /// Returns when the next request is due after `now_ns`, if that depends on time alone.
    pub(crate) fn next_due_ns(&mut self, now_ns: u64) -> Option<u64> {
        let TimeRange { start_ns, end_ns } = self.range;
        match &mut self.offsets {
            Some(offsets) => {
                let due_ns = start_ns.saturating_add(*offsets.peek()?);
                (due_ns < end_ns).then_some(due_ns)
            }
            None => (now_ns < start_ns).then_some(start_ns),
        }
    }
}
