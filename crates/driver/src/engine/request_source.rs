//! Sources of requests in one phase of a drive.

use std::iter::Peekable;

use logtrace_common::TimeRange;

use crate::engine::share::Share;
use crate::schedule::arrivals::Offsets;
use crate::schedule::pace::Pace;
use crate::util::random::Stream;

/// Request that is not dispatched yet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ScheduledRequest {
    /// Number of the request in its phase, from 0.
    pub(crate) number: u64,
    /// Base of its random values; see [`crate::util::random::nth_rng`].
    pub(crate) base: u64,
    /// Due time; `None` in a closed loop, where a request is due when it is sent.
    pub(crate) due_ns: Option<u64>,
}

/// RequestSource of the requests of one phase.
#[derive(Debug)]
pub(crate) enum RequestSource {
    /// No requests.
    Shut,
    /// Open loop: requests are due at fixed times, whatever the server does.
    Open(Open),
    /// Closed loop: a request is due whenever a connection is idle.
    Closed(Closed),
}

#[derive(Debug)]
pub(crate) struct Open {
    offsets: Peekable<Offsets>,
    start_ns: u64,
    end_ns: u64,
    next: u64,
    base: u64,
}

#[derive(Debug)]
pub(crate) struct Closed {
    start_ns: u64,
    end_ns: u64,
    next: u64,
    step: u64,
    base: u64,
}

impl RequestSource {
    /// Creates the source of one phase: the requests from the start of `range` until before its end.
    pub(crate) fn new(pace: &Pace, range: TimeRange, values: Stream, seed: u64, share: Share) -> Self {
        let (start_ns, end_ns, base) = (range.start_ns, range.end_ns, values.base(seed));
        match pace.offsets_ns(seed) {
            Some(offsets) => Self::open(offsets, start_ns, end_ns, base),
            None => Self::closed(start_ns, end_ns, base, share),
        }
    }

    /// Creates an open loop of requests due from `start_ns` until before `end_ns`.
    pub(crate) fn open(offsets: Offsets, start_ns: u64, end_ns: u64, base: u64) -> Self {
        Self::Open(Open {
            offsets: offsets.peekable(),
            start_ns,
            end_ns,
            next: 0,
            base,
        })
    }

    /// Creates a share of a closed loop of requests sent from `start_ns` until before `end_ns`.
    pub(crate) fn closed(start_ns: u64, end_ns: u64, base: u64, share: Share) -> Self {
        Self::Closed(Closed {
            start_ns,
            end_ns,
            next: share.number as u64,
            step: share.of.get() as u64,
            base,
        })
    }

    /// Returns the next request that is due by now.
    pub(crate) fn next(&mut self, now_ns: u64) -> Option<ScheduledRequest> {
        match self {
            Self::Shut => None,
            Self::Open(open) => open.next(now_ns),
            Self::Closed(closed) => closed.next(now_ns),
        }
    }

    /// Returns whether requests wait when no connection is idle.
    pub(crate) fn queues(&self) -> bool {
        matches!(self, Self::Open(_))
    }

    /// Returns when the next request is due after `now_ns`, if that depends on time alone.
    pub(crate) fn next_due_ns(&mut self, now_ns: u64) -> Option<u64> {
        match self {
            Self::Shut => None,
            Self::Open(open) => open.next_due_ns(),
            Self::Closed(closed) => (now_ns < closed.start_ns).then_some(closed.start_ns),
        }
    }
}

impl Open {
    fn next_due_ns(&mut self) -> Option<u64> {
        let due_ns = self.start_ns.saturating_add(*self.offsets.peek()?);
        (due_ns < self.end_ns).then_some(due_ns)
    }

    fn next(&mut self, now_ns: u64) -> Option<ScheduledRequest> {
        let due_ns = self.next_due_ns().filter(|&due_ns| due_ns <= now_ns)?;
        self.offsets.next();
        let number = self.next;
        self.next += 1;
        Some(ScheduledRequest {
            number,
            base: self.base,
            due_ns: Some(due_ns),
        })
    }
}

impl Closed {
    fn next(&mut self, now_ns: u64) -> Option<ScheduledRequest> {
        if now_ns < self.start_ns || now_ns >= self.end_ns {
            return None;
        }
        let number = self.next;
        self.next += self.step;
        Some(ScheduledRequest {
            number,
            base: self.base,
            due_ns: None,
        })
    }
}
