//! The course of the window in tenths of a second: how many commits ended in each, and, of the slow ones, what the
//! commits under way waited for.

use logtrace_common::{STALL_BUCKET_NS, TimeRange, stall_bucket};
use logtrace_events::Commit;

use crate::attribution::walk::Segment;
use crate::causes::cause::Cause;
use crate::totals::breakdown::SlowTenth;

/// A tenth with less than this part of the median's commits is slow.
const SLOW_SHARE: f64 = 0.5;

/// Slow tenths that are told at most, the earliest: a run that has more of them does not stall, it is uneven.
const MOST_SLOW: usize = 2_000;

/// Tenths that are kept, 2.7 hours: each has some thirty causes. What comes later is not told.
const MOST_KEPT: usize = 100_000;

/// The tenths of a window. Commit time is in the tenth in which it passed, whenever the commit ended: what commits
/// waited for in a stall is told by those that were held, and these end after it.
#[derive(Debug)]
pub(crate) struct Tenths {
    start_ns: u64,
    tenths: Vec<Tenth>,
}

#[derive(Clone, Debug, Default)]
struct Tenth {
    ended: u64,
    under_way: u64,
    causes: Vec<(Cause, u64)>,
}

impl Tenths {
    /// Nothing yet.
    pub(crate) fn new(window: TimeRange) -> Self {
        Self {
            start_ns: window.start_ns,
            tenths: Vec::new(),
        }
    }

    /// Adds a commit that started in the window, with its segments. It may end after it: then it was under way, and ended
    /// in none of the tenths that are told.
    pub(crate) fn add(&mut self, commit: &Commit, segments: &[Segment]) {
        let (first, last) = (self.number(commit.start_ns), self.number(commit.end_ns));
        if last >= MOST_KEPT {
            return;
        }
        if self.tenths.len() <= last {
            self.tenths.resize(last + 1, Tenth::default());
        }
        self.tenths[last].ended += 1;
        for tenth in self.tenths.iter_mut().take(last + 1).skip(first) {
            tenth.under_way += 1;
        }
        for segment in segments {
            self.charge(segment);
        }
    }

    /// Those of the first `measured_ns` in which few commits ended. None where half of the tenths had no commit at all:
    /// then nothing tells a stall from what is usual.
    pub(crate) fn slow(&self, measured_ns: u64) -> Vec<SlowTenth> {
        // The last one may be cut short.
        let whole =
            usize::try_from(measured_ns / STALL_BUCKET_NS).map_or(MOST_KEPT, |whole| whole.min(MOST_KEPT));
        let nothing = Tenth::default();
        let tenth = |number: usize| self.tenths.get(number).unwrap_or(&nothing);
        let mut ended: Vec<u64> = (0..whole).map(|number| tenth(number).ended).collect();
        ended.sort_unstable();
        let median = ended.get(whole / 2).copied().unwrap_or(0);
        let is_slow = |ended: u64| (ended as f64) < SLOW_SHARE * median as f64;
        let slow = (0..whole).filter(|&number| is_slow(tenth(number).ended));
        let told = |number: usize| tenth(number).told(number as u64 * STALL_BUCKET_NS);
        slow.take(MOST_SLOW).map(told).collect()
    }

    fn number(&self, at_ns: u64) -> usize {
        stall_bucket(self.start_ns, at_ns)
    }

    /// Charges each tenth with the part of the segment that is in it.
    fn charge(&mut self, segment: &Segment) {
        let mut from_ns = segment.start_ns;
        while from_ns < segment.end_ns {
            let number = self.number(from_ns);
            let until_ns = segment
                .end_ns
                .min(self.start_ns + (number as u64 + 1) * STALL_BUCKET_NS);
            if let Some(tenth) = self.tenths.get_mut(number) {
                tenth.charge(segment.cause, until_ns - from_ns);
            }
            from_ns = until_ns;
        }
    }
}

impl Tenth {
    fn charge(&mut self, cause: Cause, ns: u64) {
        match self.causes.iter_mut().find(|(known, _)| *known == cause) {
            Some((_, total_ns)) => *total_ns += ns,
            None => self.causes.push((cause, ns)),
        }
    }

    fn told(&self, at_ns: u64) -> SlowTenth {
        let mut causes = self.causes.clone();
        causes.sort_by(|(a, a_ns), (b, b_ns)| b_ns.cmp(a_ns).then_with(|| a.cmp(b)));
        SlowTenth {
            at_ns,
            ended: self.ended,
            under_way: self.under_way,
            causes,
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::causes::cause::{Wait, Who};

    const START_NS: u64 = 7 * STALL_BUCKET_NS + 123;

    fn segment(start_ns: u64, end_ns: u64, wait: Wait) -> Segment {
        Segment {
            start_ns,
            end_ns,
            tid: 1,
            cause: Cause {
                who: Who::Own,
                io: None,
                wait,
            },
            stack: None,
        }
    }

    /// A commit of two halves, which waits and then runs, from the start of the window.
    fn add(tenths: &mut Tenths, from_ns: u64, until_ns: u64) {
        let (from_ns, until_ns) = (START_NS + from_ns, START_NS + until_ns);
        let middle_ns = from_ns.midpoint(until_ns);
        let commit = Commit {
            tid: 1,
            start_ns: from_ns,
            end_ns: until_ns,
        };
        let halves = [
            segment(from_ns, middle_ns, Wait::Timer),
            segment(middle_ns, until_ns, Wait::OnCpu),
        ];
        tenths.add(&commit, &halves);
    }

    fn tenths() -> Tenths {
        Tenths::new(TimeRange::new(START_NS, START_NS + 10 * STALL_BUCKET_NS))
    }

    #[test]
    fn a_stall_is_told_with_what_the_commits_that_it_held_waited_for() {
        let mut tenths = tenths();
        for number in [0, 1, 2, 6, 7, 8, 9] {
            for commit in 0..10 {
                let at_ns = number * STALL_BUCKET_NS + commit * 1000;
                add(&mut tenths, at_ns, at_ns + 800);
            }
        }
        // Held from the third tenth to the sixth, where it ends.
        add(&mut tenths, 3 * STALL_BUCKET_NS, 6 * STALL_BUCKET_NS + 50);
        let slow = tenths.slow(10 * STALL_BUCKET_NS);
        let rows: Vec<_> = slow
            .iter()
            .map(|row| (row.at_ns / STALL_BUCKET_NS, row.ended, row.under_way))
            .collect();
        assert_eq!(rows, [(3, 0, 1), (4, 0, 1), (5, 0, 1)]);
        assert_eq!(
            slow[0].causes,
            [(segment(0, 1, Wait::Timer).cause, STALL_BUCKET_NS)]
        );
        let middle: u64 = slow[1].causes.iter().map(|(_, ns)| ns).sum();
        assert_eq!((slow[1].causes.len(), middle), (2, STALL_BUCKET_NS));
    }

    #[test]
    fn nothing_is_slow_where_commits_are_rare() {
        let mut tenths = tenths();
        for number in [0, 4, 8] {
            add(
                &mut tenths,
                number * STALL_BUCKET_NS,
                number * STALL_BUCKET_NS + 10,
            );
        }
        assert!(tenths.slow(10 * STALL_BUCKET_NS).is_empty());
        assert!(Tenths::new(TimeRange::new(0, 0)).slow(0).is_empty());
    }

    #[test]
    fn the_end_of_a_window_that_is_no_whole_tenth_is_not_slow() {
        let mut tenths = tenths();
        for number in 0..3 {
            for commit in 0..10 {
                let at_ns = number * STALL_BUCKET_NS + commit * 1000;
                add(&mut tenths, at_ns, at_ns + 800);
            }
        }
        assert!(tenths.slow(3 * STALL_BUCKET_NS + 10).is_empty());
        assert_eq!(tenths.slow(4 * STALL_BUCKET_NS).len(), 1);
    }

    proptest! {
        #[test]
        fn no_time_is_lost_and_none_is_told_twice(
            commits in proptest::collection::vec((0..20 * STALL_BUCKET_NS, 0..5 * STALL_BUCKET_NS), 0..60),
        ) {
            let mut tenths = Tenths::new(TimeRange::new(START_NS, START_NS + 30 * STALL_BUCKET_NS));
            for &(from_ns, length_ns) in &commits {
                add(&mut tenths, from_ns, from_ns + length_ns);
            }
            let charged: u64 = tenths.tenths.iter().flat_map(|tenth| &tenth.causes).map(|(_, ns)| ns).sum();
            prop_assert_eq!(charged, commits.iter().map(|(_, length_ns)| length_ns).sum::<u64>());
            let ended: u64 = tenths.tenths.iter().map(|tenth| tenth.ended).sum();
            prop_assert_eq!(ended, commits.len() as u64);
            for tenth in &tenths.tenths {
                prop_assert!(tenth.causes.iter().map(|(_, ns)| ns).sum::<u64>() <= tenth.under_way * STALL_BUCKET_NS);
            }
        }
    }
}
