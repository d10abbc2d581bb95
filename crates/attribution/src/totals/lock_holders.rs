//! Sessions that others waited for, because they held locks.

use std::cmp::Reverse;

use logtrace_common::TimeRange;
use logtrace_events::Tid;
use rustc_hash::FxHashMap;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::causes::Wait;
use crate::charging::walk::memory::Memory;
use crate::holders::document::SessionRow;
use crate::requests::lock_holders::lock_holders;
use crate::requests::long_waits::LongWait;
use crate::timeline::Timelines;
use crate::timeline::thread::blocked;

/// Most holders of one kind of lock that are listed.
const MOST_LISTED: usize = 8;

/// Limit on the holders that are counted: clients that connect again and again would have no end of them.
const MOST_COUNTED: usize = 4_096;

/// Separate times that a holder is known by. Older ones are only counted.
const MOST_RANGES: usize = 64;

/// Session that held a lock while others waited for it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct LockHolder {
    /// Id of its thread.
    pub tid: u32,
    /// Number of waits that it prolonged.
    pub count: u64,
    /// Sum of these waits' times.
    pub total: u64,
    /// Time in which at least one statement waited.
    pub held: u64,
    /// Part of that in which the session waited for its client.
    pub idle: u64,
    /// End of the last of these waits, from the start of the window; 0 in older files.
    #[serde(default)]
    pub end: u64,
    /// Connection of the session, if it was read while it held the lock or shortly after.
    #[serde(default)]
    pub session: Option<SessionRow>,
}

/// Wait from which its holder is named, while it may still have the connection.
const NAMED_FROM_NS: u64 = 50_000_000;

/// Limit on holders that are to be named. More are there only if nobody takes them.
const MOST_WANTED: usize = 64;

/// Times by lock and holder while a run goes on.
#[derive(Debug, Default)]
pub(crate) struct LockTotals {
    holders: FxHashMap<(Wait, Tid), LockSum>,
    waits: u64,
    wanted: Vec<Tid>,
}

#[derive(Debug, Default)]
struct LockSum {
    count: u64,
    /// Number of the last wait that it prolonged.
    last_wait: u64,
    total_ns: u64,
    held: Covered,
    idle: Covered,
    end_ns: u64,
}

impl LockTotals {
    /// Adds a wait for a lock.
    pub(crate) fn add(&mut self, timelines: &Timelines, memory: &mut Memory, wait: &LongWait) {
        let Some(releaser) = wait.releaser else { return };
        self.waits += 1;
        for &part in &wait.parts {
            lock_holders(timelines, memory, releaser, part, &mut |tid, range| {
                let sum = self.holders.entry((wait.cause.wait, tid)).or_default();
                sum.count += u64::from(sum.last_wait != self.waits);
                sum.last_wait = self.waits;
                sum.total_ns += range.length_ns();
                sum.held.add(range);
                sum.end_ns = sum.end_ns.max(range.end_ns);
                let is_wanted = range.length_ns() >= NAMED_FROM_NS && self.wanted.len() < MOST_WANTED;
                if is_wanted && !self.wanted.contains(&tid) {
                    self.wanted.push(tid);
                }
                let waits = timelines.client_waits(tid, range);
                waits.for_each(|off| sum.idle.add(blocked(off, range)));
            });
        }
        if self.holders.len() > MOST_COUNTED {
            self.forget_half();
        }
    }

    /// Returns the holders that should be named now.
    pub(crate) fn take_wanted(&mut self) -> Vec<Tid> {
        std::mem::take(&mut self.wanted)
    }

    /// Forgets the holders of the shortest times.
    fn forget_half(&mut self) {
        let times = self.holders.iter().map(|(&key, sum)| (sum.total_ns, key));
        let mut times: Vec<_> = times.collect();
        times.sort_unstable();
        let middle = times[times.len() / 2];
        self.holders.retain(|&key, sum| (sum.total_ns, key) >= middle);
    }

    /// Returns the holders of a kind of lock in a window from `start_ns` on, those of the longest times first.
    pub(crate) fn of(&self, wait: Wait, start_ns: u64) -> Vec<LockHolder> {
        let holders = self.holders.iter().filter(|((of, _), _)| *of == wait);
        let mut holders: Vec<LockHolder> = holders
            .map(|(&(_, tid), sum)| LockHolder {
                tid,
                count: sum.count,
                total: sum.total_ns,
                held: sum.held.ns(),
                idle: sum.idle.ns().min(sum.held.ns()),
                end: sum.end_ns.saturating_sub(start_ns),
                session: None,
            })
            .collect();
        holders.sort_by_key(|holder| (Reverse(holder.total), holder.tid));
        holders.truncate(MOST_LISTED);
        holders
    }
}

/// Time that is covered by ranges, each nanosecond once. The ranges end in about the order in which they come.
#[derive(Debug, Default)]
struct Covered {
    /// Newest ranges, disjoint and in order.
    ranges: Vec<TimeRange>,
    /// End and sum of those before.
    counted_until_ns: u64,
    counted_ns: u64,
}

impl Covered {
    fn add(&mut self, range: TimeRange) {
        let range = range.since(self.counted_until_ns);
        if range.is_empty() {
            return;
        }
        let first = self.ranges.partition_point(|kept| kept.end_ns < range.start_ns);
        let until = self.ranges.partition_point(|kept| kept.start_ns <= range.end_ns);
        let met = &self.ranges[first..until];
        let start_ns = met.first().map_or(range.start_ns, |kept| kept.start_ns);
        let end_ns = met.last().map_or(range.end_ns, |kept| kept.end_ns);
        let whole = TimeRange::new(start_ns.min(range.start_ns), end_ns.max(range.end_ns));
        self.ranges.splice(first..until, [whole]);
        if self.ranges.len() > MOST_RANGES {
            let oldest = self.ranges.remove(0);
            self.counted_until_ns = oldest.end_ns;
            self.counted_ns += oldest.length_ns();
        }
    }

    fn ns(&self) -> u64 {
        let ranges = self.ranges.iter();
        self.counted_ns + ranges.map(|range| range.length_ns()).sum::<u64>()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn each_nanosecond_is_covered_once(ranges in prop::collection::vec((0_u64..500, 0_u64..40), 0..40)) {
            let mut covered = Covered::default();
            let mut expected = [false; 600];
            for &(start_ns, length_ns) in &ranges {
                covered.add(TimeRange::new(start_ns, start_ns + length_ns));
                let range = usize::try_from(start_ns).unwrap()..usize::try_from(start_ns + length_ns).unwrap();
                expected[range].fill(true);
            }
            let expected = expected.iter().filter(|&&is_covered| is_covered).count();
            prop_assert_eq!(covered.ns(), expected as u64);
        }
    }

    #[test]
    fn a_long_run_takes_bounded_memory() {
        let mut covered = Covered::default();
        for number in 0..1_000_000 {
            covered.add(TimeRange::new(10 * number, 10 * number + 5));
        }
        assert_eq!(covered.ns(), 5_000_000);
        assert!(covered.ranges.len() <= MOST_RANGES);
        let mut totals = LockTotals::default();
        for tid in 0..1_000_000 {
            let sum = totals.holders.entry((Wait::RowLock, tid)).or_default();
            sum.total_ns = u64::from(tid % 1_000);
            if totals.holders.len() > MOST_COUNTED {
                totals.forget_half();
            }
        }
        assert!(totals.holders.len() <= MOST_COUNTED);
        let longest = &totals.of(Wait::RowLock, 0)[0];
        assert_eq!((longest.tid, longest.total), (999, 999));
    }
}
