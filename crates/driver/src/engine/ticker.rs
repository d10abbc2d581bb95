//! What happens once a second on a shard: an interval ends, and the drive hears what was in it.

use std::time::Duration;

use crate::engine::shard_state::Floor;
use crate::results::merge_seconds::Interval;
use crate::util::clock::NS_PER_S;

/// Takes the intervals of a shard.
pub(crate) type Teller<'a> = &'a mut dyn FnMut(Interval);

/// The seconds of one stage on one shard.
pub(crate) struct Ticks<'a> {
    start_ns: u64,
    seconds: u64,
    tell: Teller<'a>,
}

impl<'a> Ticks<'a> {
    /// Seconds from `start_ns`.
    pub(crate) fn new(start_ns: u64, tell: Teller<'a>) -> Self {
        Self {
            start_ns,
            seconds: 0,
            tell,
        }
    }

    /// When the current second ends.
    pub(crate) fn next_ns(&self) -> u64 {
        self.start_ns + (self.seconds + 1) * NS_PER_S
    }

    /// Ends the seconds that are over by now.
    pub(crate) fn catch_up(&mut self, now_ns: u64, floor: &Floor) {
        while self.next_ns() <= now_ns {
            self.end_interval(Duration::from_secs(1), floor);
            self.seconds += 1;
        }
    }

    /// Ends the last, shorter interval, unless nothing was done in it.
    pub(crate) fn finish(&mut self, now_ns: u64, floor: &Floor) {
        if !floor.recorder.borrow().interval().service.is_empty() {
            let since_ns = now_ns.saturating_sub(self.start_ns + self.seconds * NS_PER_S);
            self.end_interval(Duration::from_nanos(since_ns), floor);
        }
    }

    fn end_interval(&mut self, length: Duration, floor: &Floor) {
        let mut recorder = floor.recorder.borrow_mut();
        (self.tell)(Interval {
            number: self.seconds,
            length,
            latencies: recorder.interval().clone(),
            backlog: floor.board.borrow().backlog(),
        });
        recorder.next_interval();
    }
}
