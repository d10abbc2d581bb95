//! Flushes of devices' write caches, and the queueing of one flush behind another.
//!
//! The block layer makes one flush at a time for each queue. A thread that requests a flush during another one waits for
//! the end of that one, and then for the next, which serves all threads that requested one meanwhile (block/blk-flush.c).

use std::cell::Cell;

use logtrace_common::TimeRange;
use logtrace_events::Flush;

use crate::timeline::query_horizon::Push;

/// Minimum number of stored flushes, some hundred milliseconds of a fast device. Older ones are removed, this many at a
/// time.
const KEPT: usize = 1024;

/// Newest flushes of all devices, in the order in which they ended.
#[derive(Debug, Default)]
pub(crate) struct Flushes {
    kept: Vec<Flush>,
    /// Latest time for which a query was answered.
    asked_ns: Cell<Option<u64>>,
}

impl Flushes {
    /// Adds a flush. Refuses it if it ended before an earlier one.
    pub(crate) fn push(&mut self, flush: Flush) -> Push {
        let newest = self.kept.last();
        if newest.is_some_and(|newest| flush.done_ns < newest.done_ns) {
            return Push::Refused;
        }
        let is_full = self.kept.len() == 2 * KEPT;
        if is_full {
            self.kept.drain(..KEPT);
        }
        self.kept.push(flush);
        let asked_ns = self.asked_ns.get();
        Push::added(asked_ns.is_some_and(|asked_ns| is_full || flush.done_ns <= asked_ns))
    }

    /// Returns the stored flushes with time in `range`, the first ended first.
    pub(crate) fn overlapping(&self, range: TimeRange) -> impl Iterator<Item = &Flush> {
        let first = self.kept.partition_point(|flush| flush.done_ns <= range.start_ns);
        let ended_later = self.kept[first..].iter();
        ended_later.filter(move |flush| flush.issue_ns < range.end_ns)
    }

    /// Returns until when a thread that was blocked in `range`, and then woken by the end of a flush, waited for a flush
    /// before its own. Returns the range's start if its own flush was the next, or is unknown.
    ///
    /// Its own flush is the last that ended before the thread was woken: a device on top of another one (a loop device)
    /// reports its end after the device below.
    pub(crate) fn queued_until_ns(&self, range: TimeRange) -> u64 {
        self.asked_ns.set(self.asked_ns.get().max(Some(range.end_ns)));
        let ended = self.kept.partition_point(|flush| flush.done_ns <= range.end_ns);
        let Some(own) = ended.checked_sub(1).map(|at| self.kept[at]) else {
            return range.start_ns;
        };
        let before = self.kept[..ended - 1].iter().rev();
        let mut before = before.take_while(|flush| flush.done_ns > range.start_ns);
        // A device with several queues makes flushes side by side: one that ended after its own was issued blocked nothing.
        let blocking = before.find(|flush| {
            flush.dev == own.dev && flush.issue_ns < range.start_ns && flush.done_ns <= own.issue_ns
        });
        blocking.map_or(range.start_ns, |flush| flush.done_ns)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const DISK: u32 = 254 << 20;
    const LOOP: u32 = 7 << 20;

    fn flushes(of: &[(u32, u64, u64)]) -> Flushes {
        let mut flushes = Flushes::default();
        for &(dev, issue_ns, done_ns) in of {
            let flush = Flush {
                dev,
                issue_ns,
                done_ns,
            };
            assert_eq!(flushes.push(flush), Push::Added);
        }
        flushes
    }

    #[test]
    fn a_flush_under_way_is_waited_for_first() {
        let flushes = flushes(&[(DISK, 0, 40), (DISK, 45, 90)]);
        assert_eq!(flushes.queued_until_ns(TimeRange::new(10, 92)), 40);
    }

    #[test]
    fn flushes_of_other_queues_of_the_device_are_not_waited_for() {
        let flushes = flushes(&[(DISK, 0, 40), (DISK, 12, 90)]);
        assert_eq!(flushes.queued_until_ns(TimeRange::new(10, 92)), 10);
    }

    #[test]
    fn a_device_that_is_at_no_flush_begins_at_once() {
        let flushes = flushes(&[(DISK, 0, 40), (DISK, 65, 90)]);
        assert_eq!(flushes.queued_until_ns(TimeRange::new(60, 92)), 60);
        assert_eq!(flushes.queued_until_ns(TimeRange::new(40, 92)), 40);
    }

    #[test]
    fn another_devices_flush_is_nobodys_queue() {
        // The loop device's flush is one of the disk below, which was at another one.
        let flushes = flushes(&[(DISK, 0, 40), (DISK, 45, 88), (LOOP, 20, 90)]);
        assert_eq!(flushes.queued_until_ns(TimeRange::new(10, 92)), 10);
    }

    #[test]
    fn without_flushes_nothing_is_known() {
        assert_eq!(Flushes::default().queued_until_ns(TimeRange::new(10, 20)), 10);
        let later = flushes(&[(DISK, 15, 30)]);
        assert_eq!(later.queued_until_ns(TimeRange::new(10, 20)), 10);
    }

    #[test]
    fn flushes_out_of_order_are_refused_and_old_ones_forgotten() {
        let mut flushes = flushes(&[(DISK, 0, 40)]);
        let mut push = |dev, issue_ns, done_ns| {
            flushes.push(Flush {
                dev,
                issue_ns,
                done_ns,
            })
        };
        assert_eq!(push(DISK, 10, 39), Push::Refused);
        for n in 1..=2 * KEPT as u64 {
            assert_eq!(push(LOOP, 100 * n, 100 * n + 50), Push::Added);
        }
        assert_eq!(flushes.kept.len(), KEPT + 1);
        assert_eq!(flushes.kept[0].dev, LOOP);
    }

    #[test]
    fn a_flush_that_was_asked_about_before_it_came_is_told() {
        let mut flushes = flushes(&[(DISK, 0, 40)]);
        flushes.queued_until_ns(TimeRange::new(10, 90));
        let flush = |done_ns| Flush {
            dev: DISK,
            issue_ns: 50,
            done_ns,
        };
        assert_eq!(flushes.push(flush(90)), Push::Revised);
        assert_eq!(flushes.push(flush(91)), Push::Added);
    }
}
