//! Stalls: tenths of a second in which few commits ended, with the causes of the commits that were under way.

use logtrace_common::{STALL_BUCKET_NS, TimeRange};
use logtrace_events::Commit;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::causes::Cause;
use crate::causes::cause_index::add_ns;
use crate::causes::cause_time::{CauseTime, largest_first};
use crate::charging::Segment;
use crate::charging::stack_index::StackIndex;

/// Tenth of a second in which less than half as many commits ended as in the median tenth.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SlowTenth {
    /// Start, in nanoseconds from the start of the window.
    pub at: u64,
    /// Number of commits that ended in it.
    pub ended: u64,
    /// Number of commits that were under way in it, those that ended in it included.
    pub under_way: u64,
    /// Causes of the time of these commits in this tenth, the largest first.
    pub causes: Vec<CauseTime>,
}

/// Share of the median's commits below which a tenth is slow.
const SLOW_SHARE: f64 = 0.5;

/// Limit on reported slow tenths, the earliest first: a run with more of them does not stall, it is uneven.
const MOST_SLOW: usize = 2_000;

/// Tenths that are compared with each other: five minutes, and at the end up to ten. So a trace of weeks stores the causes
/// of two periods at most, and a quiet night is no stall.
const PERIOD: usize = 3_000;

/// Tenths of the window. Commit time counts in the tenth in which it passed, whenever the commit ended: the commits that
/// a stall delays show its causes, and they end after it.
#[derive(Debug)]
pub(crate) struct Tenths {
    start_ns: u64,
    /// Number of the first tenth that is not judged yet.
    first: usize,
    /// Tenths from the first one: two periods at most.
    tenths: Vec<Tenth>,
    /// Median number of commits that ended in a tenth of the period before the first one.
    before: u64,
    /// Slow tenths before the first one.
    slow: Vec<SlowTenth>,
}

/// Totals of a tenth of a second; the fields are those of [`SlowTenth`].
#[derive(Clone, Debug, Default)]
struct Tenth {
    ended: u64,
    under_way: u64,
    /// Totals by the causes' index in the [`StackIndex`], up to the last one that is not 0.
    totals: Vec<u64>,
}

impl Tenths {
    /// Creates empty tenths.
    pub(crate) fn new(window: TimeRange) -> Self {
        Self {
            start_ns: window.start_ns,
            first: 0,
            tenths: Vec::new(),
            before: 0,
            slow: Vec::new(),
        }
    }

    /// Adds a commit of the window, the last one of `stacks`, with its segments. It may begin before the window or end after it: then it was under way
    /// in the window's tenths, and its time outside of the window is left out. So is its time in tenths that are judged: it
    /// took more than five minutes.
    pub(crate) fn add(&mut self, commit: &Commit, segments: &[Segment], stacks: &StackIndex) {
        let end = self.number(commit.end_ns);
        self.judge_periods_until(end, stacks.causes());
        let Some(last) = end.checked_sub(self.first) else {
            return;
        };
        if self.tenths.len() <= last {
            self.tenths.resize(last + 1, Tenth::default());
        }
        let first = self.number(commit.start_ns).saturating_sub(self.first);
        self.tenths[last].ended += 1;
        for tenth in self.tenths.iter_mut().take(last + 1).skip(first) {
            tenth.under_way += 1;
        }
        if first == last && self.start_of(self.first) <= commit.start_ns {
            let totals = &mut self.tenths[last].totals;
            for time in stacks.times() {
                add_ns(totals, time.cause, time.ns);
            }
        } else {
            for (segment, stack) in stacks.numbered(segments) {
                self.charge(segment.range, stacks.stacks()[stack].cause);
            }
        }
    }

    /// Returns the slow tenths of the first `measured_ns`, with these causes of the [`StackIndex`]. There are none where half of the tenths had no commit at all, also in
    /// the period before: a stall cannot be told from the usual state.
    pub(crate) fn slow(mut self, measured_ns: u64, causes: &[Cause]) -> Vec<SlowTenth> {
        // The last tenth may be incomplete and is left out.
        let whole = self.number(self.start_ns.saturating_add(measured_ns));
        self.judge_periods_until(whole, causes);
        self.judge(whole.saturating_sub(self.first), causes);
        let measured = |tenth: &SlowTenth| tenth.at < whole as u64 * STALL_BUCKET_NS;
        self.slow.into_iter().filter(measured).collect()
    }

    /// Judges periods until this tenth is in one of the first two. A time without commits has no slow tenths and is skipped:
    /// damaged records may be years apart.
    fn judge_periods_until(&mut self, number: usize, causes: &[Cause]) {
        while number >= self.first + 2 * PERIOD {
            if self.tenths.is_empty() && self.before == 0 {
                self.first = (number / PERIOD - 1) * PERIOD;
            } else {
                self.judge_period(causes);
            }
        }
    }

    /// Judges the first period and removes its tenths.
    fn judge_period(&mut self, causes: &[Cause]) {
        self.before = self.judge(PERIOD, causes);
        self.tenths.drain(..PERIOD.min(self.tenths.len()));
        self.first += PERIOD;
    }

    /// Adds the slow ones of the first `count` tenths, compared with their median, or with the period before if that is 0.
    /// Returns their median.
    fn judge(&mut self, count: usize, causes: &[Cause]) -> u64 {
        let nothing = Tenth::default();
        let tenth = |number: usize| self.tenths.get(number).unwrap_or(&nothing);
        let ended: Vec<u64> = (0..count).map(|number| tenth(number).ended).collect();
        let own = median(ended.clone());
        let usual = if own == 0 { self.before } else { own };
        let is_slow = |number: &usize| (ended[*number] as f64) < SLOW_SHARE * usual as f64;
        let slow = (0..count)
            .filter(is_slow)
            .take(MOST_SLOW.saturating_sub(self.slow.len()));
        let at = |number: usize| (self.first + number) as u64 * STALL_BUCKET_NS;
        let rows = slow.map(|number| tenth(number).row(at(number), causes));
        self.slow.extend(rows);
        own
    }

    /// Returns the number of the tenth at this time.
    fn number(&self, at_ns: u64) -> usize {
        (at_ns.saturating_sub(self.start_ns) / STALL_BUCKET_NS) as usize
    }

    fn start_of(&self, number: usize) -> u64 {
        let since_start_ns = (number as u64).saturating_mul(STALL_BUCKET_NS);
        self.start_ns.saturating_add(since_start_ns)
    }

    /// Charges to each tenth that is not judged its part of a segment.
    fn charge(&mut self, segment: TimeRange, cause: usize) {
        let mut rest = segment.since(self.start_of(self.first));
        while !rest.is_empty() {
            let number = self.number(rest.start_ns);
            let end_ns = self.start_of(number + 1);
            if let Some(tenth) = self.tenths.get_mut(number - self.first) {
                add_ns(&mut tenth.totals, cause, rest.before(end_ns).length_ns());
            }
            rest = rest.since(end_ns);
        }
    }
}

fn median(mut numbers: Vec<u64>) -> u64 {
    numbers.sort_unstable();
    numbers.get(numbers.len() / 2).copied().unwrap_or(0)
}

impl Tenth {
    /// Returns the tenth that starts `at` nanoseconds after the window does, as it is reported.
    fn row(&self, at: u64, causes: &[Cause]) -> SlowTenth {
        let totals = causes.iter().zip(&self.totals);
        let rows = totals.filter(|&(_, &total)| total > 0);
        let mut causes: Vec<_> = rows.map(|(&cause, &total)| CauseTime { cause, total }).collect();
        largest_first(&mut causes);
        SlowTenth {
            at,
            ended: self.ended,
            under_way: self.under_way,
            causes,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::ops::Range;

    use proptest::prelude::*;

    use super::*;
    use crate::causes::Wait;

    const START_NS: u64 = 7 * STALL_BUCKET_NS + 123;

    fn segment(start_ns: u64, end_ns: u64, wait: Wait) -> Segment {
        Segment {
            range: TimeRange::new(start_ns, end_ns),
            tid: 1,
            cause: Cause::own(wait),
            frames: None,
        }
    }

    /// A commit of two halves, which waits and then runs, from the start of the window.
    fn add(tenths: &mut TenthsOfCommits, from_ns: u64, until_ns: u64) {
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
        add_segments(tenths, &commit, &halves);
    }

    fn add_segments(tenths: &mut TenthsOfCommits, commit: &Commit, segments: &[Segment]) {
        tenths.stacks.sum(segments);
        tenths.tenths.add(commit, segments, &tenths.stacks);
    }

    /// Tenths with the stacks of all their commits.
    struct TenthsOfCommits {
        tenths: Tenths,
        stacks: StackIndex,
    }

    impl TenthsOfCommits {
        fn slow(self, measured_ns: u64) -> Vec<SlowTenth> {
            self.tenths.slow(measured_ns, self.stacks.causes())
        }
    }

    fn tenths() -> TenthsOfCommits {
        let window = TimeRange::new(START_NS, START_NS + 10 * STALL_BUCKET_NS);
        TenthsOfCommits {
            tenths: Tenths::new(window),
            stacks: StackIndex::default(),
        }
    }

    #[test]
    fn a_stall_is_told_with_what_the_commits_that_it_held_waited_for() {
        let mut tenths = tenths();
        busy(&mut tenths, 0..3, 10);
        busy(&mut tenths, 6..10, 10);
        // Held from the third tenth to the sixth, where it ends.
        add(&mut tenths, 3 * STALL_BUCKET_NS, 6 * STALL_BUCKET_NS + 50);
        let slow = tenths.slow(10 * STALL_BUCKET_NS);
        let rows: Vec<_> = slow
            .iter()
            .map(|row| (row.at / STALL_BUCKET_NS, row.ended, row.under_way))
            .collect();
        assert_eq!(rows, [(3, 0, 1), (4, 0, 1), (5, 0, 1)]);
        let timer = CauseTime {
            cause: segment(0, 1, Wait::Timer).cause,
            total: STALL_BUCKET_NS,
        };
        assert_eq!(slow[0].causes, [timer]);
        let middle: u64 = slow[1].causes.iter().map(|row| row.total).sum();
        assert_eq!((slow[1].causes.len(), middle), (2, STALL_BUCKET_NS));
    }

    #[test]
    fn the_time_before_the_window_is_in_no_tenth() {
        let mut tenths = tenths();
        let commit = Commit {
            tid: 1,
            start_ns: START_NS - 3 * STALL_BUCKET_NS,
            end_ns: START_NS + 10,
        };
        add_segments(
            &mut tenths,
            &commit,
            &[segment(commit.start_ns, commit.end_ns, Wait::Timer)],
        );
        let first = tenths.tenths.tenths[0].row(0, tenths.stacks.causes());
        assert_eq!((first.ended, first.under_way, first.causes[0].total), (1, 1, 10));
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
        assert!(Tenths::new(TimeRange::new(0, 0)).slow(0, &[]).is_empty());
    }

    #[test]
    fn the_end_of_a_window_that_is_no_whole_tenth_is_not_slow() {
        let slow_of = |measured_ns| {
            let mut tenths = tenths();
            busy(&mut tenths, 0..3, 10);
            tenths.slow(measured_ns).len()
        };
        assert_eq!(slow_of(3 * STALL_BUCKET_NS + 10), 0);
        assert_eq!(slow_of(4 * STALL_BUCKET_NS), 1);
    }

    /// Adds so many commits in each of these tenths.
    fn busy(tenths: &mut TenthsOfCommits, numbers: Range<u64>, commits: u64) {
        for number in numbers {
            for commit in 0..commits {
                let at_ns = number * STALL_BUCKET_NS + commit * 1000;
                add(tenths, at_ns, at_ns + 800);
            }
        }
    }

    #[test]
    fn a_stall_of_most_of_a_period_is_found() {
        let (mut tenths, period) = (tenths(), PERIOD as u64);
        busy(&mut tenths, 0..period + 10, 10);
        busy(&mut tenths, 2 * period - 10..4 * period, 10);
        let slow = tenths.slow(4 * period * STALL_BUCKET_NS);
        let first = slow.first().map(|row| row.at / STALL_BUCKET_NS);
        assert_eq!((first, slow.len()), (Some(period + 10), MOST_SLOW));
    }

    #[test]
    fn a_day_takes_the_memory_of_two_periods_and_a_quiet_night_is_no_stall() {
        let (mut tenths, period) = (tenths(), PERIOD as u64);
        busy(&mut tenths, 0..20 * period, 10);
        assert!(tenths.tenths.tenths.len() <= 2 * PERIOD);
        // A stall of three tenths in a period that is judged long before the end, and one in the night.
        busy(&mut tenths, 20 * period..20 * period + 50, 10);
        busy(&mut tenths, 20 * period + 53..30 * period, 10);
        busy(&mut tenths, 30 * period..44 * period, 2);
        busy(&mut tenths, 44 * period + 1..50 * period, 2);
        assert!(tenths.tenths.tenths.len() <= 2 * PERIOD && tenths.tenths.slow.len() < MOST_SLOW);
        let slow = tenths.slow(50 * period * STALL_BUCKET_NS);
        let at: Vec<u64> = slow.iter().map(|row| row.at / STALL_BUCKET_NS).collect();
        let first = 20 * period;
        assert_eq!(at, [first + 50, first + 51, first + 52, 44 * period]);
    }

    #[test]
    fn a_stall_after_two_days_is_found_at_its_time() {
        let (mut tenths, period) = (tenths(), PERIOD as u64);
        busy(&mut tenths, 0..10, 10);
        let late = 2 * 86_400 * 10;
        busy(&mut tenths, late..late + period, 10);
        busy(&mut tenths, late + period + 3..late + 2 * period, 10);
        let slow = tenths.slow((late + 2 * period) * STALL_BUCKET_NS);
        let at: Vec<u64> = slow.iter().map(|row| row.at / STALL_BUCKET_NS).collect();
        assert_eq!(at, [late + period, late + period + 1, late + period + 2]);
    }

    #[test]
    fn times_that_no_trace_reaches_end_soon() {
        let mut tenths = tenths();
        busy(&mut tenths, 0..10, 10);
        let longest_ns = 86_400_000_000_000;
        let end_ns = u64::MAX - 2 * START_NS;
        for before_ns in 0..100 {
            add(&mut tenths, end_ns - before_ns - longest_ns, end_ns - before_ns);
        }
        assert!(tenths.tenths.tenths.len() <= 2 * PERIOD);
        tenths.slow(u64::MAX);
    }

    proptest! {
        #[test]
        fn no_time_is_lost_and_none_is_told_twice(
            commits in proptest::collection::vec((0..20 * STALL_BUCKET_NS, 0..5 * STALL_BUCKET_NS), 0..60),
        ) {
            let mut tenths = tenths();
            for &(from_ns, length_ns) in &commits {
                add(&mut tenths, from_ns, from_ns + length_ns);
            }
            let charged: u64 = tenths.tenths.tenths.iter().flat_map(|tenth| tenth.totals.iter()).sum();
            prop_assert_eq!(charged, commits.iter().map(|(_, length_ns)| length_ns).sum::<u64>());
            let ended: u64 = tenths.tenths.tenths.iter().map(|tenth| tenth.ended).sum();
            prop_assert_eq!(ended, commits.len() as u64);
            for tenth in &tenths.tenths.tenths {
                prop_assert!(tenth.totals.iter().sum::<u64>() <= tenth.under_way * STALL_BUCKET_NS);
            }
        }
    }
}
