//! Division of a phase into intervals of one second on a shard.

use std::time::Duration;

use crate::engine::shard_state::ShardState;
use crate::results::merge_seconds::ShardSecond;
use crate::util::clock::NS_PER_S;

/// Callback for each interval that has ended.
pub(crate) type OnInterval<'a> = &'a mut dyn FnMut(ShardSecond);

/// Ticker that ends an interval once a second.
pub(crate) struct Ticker<'a> {
    start_ns: u64,
    seconds: u64,
    on_interval: OnInterval<'a>,
}

impl<'a> Ticker<'a> {
    /// Creates a ticker that counts seconds from `start_ns`.
    pub(crate) fn new(start_ns: u64, on_interval: OnInterval<'a>) -> Self {
        Self {
            start_ns,
            seconds: 0,
            on_interval,
        }
    }

    /// Returns when the current second ends.
    pub(crate) fn next_ns(&self) -> u64 {
        self.start_ns + (self.seconds + 1) * NS_PER_S
    }

    /// Ends all seconds that are over by now.
    pub(crate) fn catch_up(&mut self, now_ns: u64, state: &ShardState) {
        while self.next_ns() <= now_ns {
            self.end_interval(Duration::from_secs(1), state);
            self.seconds += 1;
        }
    }

    /// Ends the last, shorter interval, unless no request was done in it.
    pub(crate) fn finish(&mut self, now_ns: u64, state: &ShardState) {
        if !state.recorder.borrow().interval.service.is_empty() {
            let since_ns = now_ns.saturating_sub(self.start_ns + self.seconds * NS_PER_S);
            self.end_interval(Duration::from_nanos(since_ns), state);
        }
    }

    fn end_interval(&mut self, length: Duration, state: &ShardState) {
        let mut recorder = state.recorder.borrow_mut();
        (self.on_interval)(ShardSecond {
            number: self.seconds,
            length,
            latencies: recorder.interval.clone(),
            backlog: state.dispatcher.borrow().backlog(),
        });
        recorder.next_interval();
    }
}
