//! Bounded history of intervals that do not overlap, in the order of time.

use logtrace_common::TimeRange;

/// Number of newest intervals that every history holds.
///
/// A commit under load spans about ten intervals of each thread that it waits for, so the history reaches back at least
/// fifty commits.
const MIN_LENGTH: usize = 512;

/// Time before the end of the newest interval whose intervals are held too, however many: a statement may read or write
/// thousands of pages in it. The threads of a server that commits 10,000 times a second add 100,000 intervals of some 80
/// bytes in a second.
const REACH_NS: u64 = 2_000_000_000;

/// Number of newest intervals that are searched first: most queries are about them.
const NEWEST: usize = 8;

/// Interval of a thread's time.
pub(crate) trait ThreadInterval {
    fn range(&self) -> TimeRange;
}

/// Place in a history, as long as nothing is added to it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct HistoryPlace(usize);

/// Newest intervals of one kind, disjoint and in order.
#[derive(Debug)]
pub(crate) struct History<T> {
    intervals: Vec<T>,
    forgotten_ns: u64,
    /// Length at which old intervals are removed.
    full_length: usize,
}

impl<T> Default for History<T> {
    fn default() -> Self {
        Self {
            intervals: Vec::new(),
            forgotten_ns: 0,
            full_length: 2 * MIN_LENGTH,
        }
    }
}

impl<T: ThreadInterval> History<T> {
    /// Appends an interval. Returns `false` if it begins before the newest one ended; it is then left out.
    pub(crate) fn push(&mut self, interval: T) -> bool {
        if interval.range().start_ns < self.end_ns() {
            return false;
        }
        if self.intervals.len() >= self.full_length {
            self.remove_old();
        }
        if self.intervals.len() == self.intervals.capacity() {
            let room = self
                .intervals
                .len()
                .clamp(1, self.full_length - self.intervals.len());
            self.intervals.reserve_exact(room);
        }
        self.intervals.push(interval);
        true
    }

    /// Returns the intervals with time in `range`, in order.
    pub(crate) fn overlapping(&self, range: TimeRange) -> impl Iterator<Item = &T> {
        let first = self.first_ending_after(range.start_ns);
        self.intervals[first..]
            .iter()
            .take_while(move |interval| interval.range().start_ns < range.end_ns)
    }

    /// Returns the place at which a search for later times than `at_ns` begins.
    pub(crate) fn place(&self, at_ns: u64) -> HistoryPlace {
        HistoryPlace(self.first_ending_after(at_ns))
    }

    /// Returns the intervals with time in `range`, in order. The search begins at `place`, which moves along: a walk asks for
    /// one range after another.
    pub(crate) fn overlapping_from(
        &self,
        HistoryPlace(at): &mut HistoryPlace,
        range: TimeRange,
    ) -> impl Iterator<Item = &T> + use<'_, T> {
        let ended = |interval: &T| interval.range().end_ns <= range.start_ns;
        while self.intervals.get(*at).is_some_and(ended) {
            *at += 1;
        }
        let later = self.intervals.get(*at..).unwrap_or_default().iter();
        later.take_while(move |interval| interval.range().start_ns < range.end_ns)
    }

    /// Returns the intervals that began in `range`, the newest first.
    pub(crate) fn begun_back(&self, range: TimeRange) -> impl Iterator<Item = &T> {
        let end = self.first_ending_after(range.end_ns);
        let end = self.intervals.len().min(end + 1);
        let back = self.intervals[..end].iter().rev();
        back.skip_while(move |interval| interval.range().start_ns >= range.end_ns)
            .take_while(move |interval| interval.range().start_ns >= range.start_ns)
    }

    /// Returns whether an interval began before `at_ns` and ended after it.
    pub(crate) fn straddles(&self, at_ns: u64) -> bool {
        let first = self.intervals.get(self.first_ending_after(at_ns));
        first.is_some_and(|interval| interval.range().start_ns < at_ns)
    }

    pub(crate) fn clear(&mut self) {
        self.forgotten_ns = self.end_ns().max(self.forgotten_ns);
        self.intervals.clear();
    }

    /// Returns the end of the newest interval, or 0 if there is none.
    pub(crate) fn end_ns(&self) -> u64 {
        self.intervals.last().map_or(0, |newest| newest.range().end_ns)
    }

    /// Returns the end of the forgotten time, or 0 if no interval was forgotten yet.
    pub(crate) fn forgotten_ns(&self) -> u64 {
        self.forgotten_ns
    }

    /// Removes what is both too old and too far back, and doubles the room if little is, so that each interval is moved
    /// once on average. The memory of a time with more intervals is freed.
    fn remove_old(&mut self) {
        let since_ns = self.end_ns().saturating_sub(REACH_NS);
        let old = self.first_ending_after(since_ns);
        let removed = old.min(self.intervals.len() - MIN_LENGTH);
        if let Some(last) = removed.checked_sub(1) {
            self.forgotten_ns = self.intervals[last].range().end_ns;
        }
        self.intervals.drain(..removed);
        self.full_length = 2 * self.intervals.len().max(MIN_LENGTH);
        self.intervals.shrink_to(self.full_length);
    }

    /// Returns the index of the first interval that ends after `at_ns`. The search goes back from the newest one in growing
    /// steps, so that it reads few intervals, and those that are in the cache.
    fn first_ending_after(&self, at_ns: u64) -> usize {
        let ended = |interval: &T| interval.range().end_ns <= at_ns;
        let (mut until, mut step) = (self.intervals.len(), NEWEST);
        loop {
            let from = until.saturating_sub(step);
            let has_first = from == 0 || self.intervals.get(from).is_some_and(ended);
            if has_first {
                return from + self.intervals[from..until].partition_point(ended);
            }
            (until, step) = (from, 4 * step);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns intervals of half of this time each, one after the other.
    fn halves(count: u64, distance_ns: u64) -> History<TimeRange> {
        let mut history = History::default();
        for n in 0..count {
            let start_ns = n * distance_ns;
            assert!(history.push(TimeRange::new(start_ns, start_ns + distance_ns / 2)));
        }
        history
    }

    fn tens(count: u64) -> History<TimeRange> {
        halves(count, 10)
    }

    fn found(history: &History<TimeRange>, start_ns: u64, end_ns: u64) -> Vec<u64> {
        let overlapping = history.overlapping(TimeRange::new(start_ns, end_ns));
        overlapping.map(|range| range.start_ns).collect()
    }

    #[test]
    fn old_and_new_intervals_are_found_alike() {
        let history = tens(4 * NEWEST as u64);
        for n in 0..4 * NEWEST as u64 {
            assert_eq!(found(&history, n * 10 + 4, n * 10 + 8), [n * 10]);
            assert_eq!(found(&history, n * 10 + 5, n * 10 + 10), [0; 0]);
        }
    }

    #[test]
    fn what_touches_a_range_only_at_its_edges_is_not_in_it() {
        let history = tens(4);
        assert_eq!(found(&history, 5, 20), [10]);
        assert_eq!(found(&history, 4, 21), [0, 10, 20]);
        assert_eq!(found(&history, 12, 13), [10]);
        assert_eq!(found(&history, 35, 99), [0; 0]);
    }

    #[test]
    fn a_search_that_goes_on_from_its_last_place_finds_the_same() {
        let history = tens(3 * NEWEST as u64);
        let end_ns = history.end_ns() + 10;
        for length_ns in 1..40 {
            let mut place = history.place(3);
            for start_ns in (3..end_ns).step_by(7) {
                let range = TimeRange::new(start_ns, start_ns + length_ns);
                let on = history.overlapping_from(&mut place, range);
                let on: Vec<u64> = on.map(|range| range.start_ns).collect();
                assert_eq!(on, found(&history, range.start_ns, range.end_ns));
            }
        }
    }

    #[test]
    fn intervals_that_began_in_a_range_come_back_from_the_newest() {
        let history = tens(4);
        let begun = |start_ns, end_ns| -> Vec<u64> {
            let begun = history.begun_back(TimeRange::new(start_ns, end_ns));
            begun.map(|range| range.start_ns).collect()
        };
        assert_eq!(begun(0, 31), [30, 20, 10, 0]);
        assert_eq!(begun(1, 30), [20, 10]);
        assert_eq!(begun(10, 12), [10]);
        assert_eq!(begun(12, 20), [0; 0]);
        assert_eq!(begun(20, u64::MAX), [30, 20]);
    }

    #[test]
    fn an_interval_that_begins_too_early_is_refused() {
        let mut history = tens(2);
        assert!(!history.push(TimeRange::new(14, 30)));
        assert!(!history.push(TimeRange::new(10, 15)));
        assert!(history.push(TimeRange::new(15, 30)));
    }

    #[test]
    fn a_point_within_an_interval_is_straddled_and_its_edges_are_not() {
        let history = tens(2);
        let straddled: Vec<u64> = (0..20).filter(|&at_ns| history.straddles(at_ns)).collect();
        assert_eq!(straddled, [1, 2, 3, 4, 11, 12, 13, 14]);
    }

    #[test]
    fn the_oldest_is_forgotten_and_the_gap_is_known() {
        let (length, distance_ns) = (MIN_LENGTH as u64, REACH_NS);
        assert_eq!(halves(2 * length, distance_ns).forgotten_ns(), 0);
        let history = halves(2 * length + 1, distance_ns);
        let oldest_ns = length * distance_ns;
        assert_eq!(history.forgotten_ns(), oldest_ns - distance_ns / 2);
        assert_eq!(found(&history, 0, oldest_ns + distance_ns), [oldest_ns]);
        assert_eq!(found(&history, oldest_ns * 2, oldest_ns * 3), [oldest_ns * 2]);
    }

    #[test]
    fn all_of_the_last_seconds_is_there_and_no_more_than_twice_as_much() {
        let distance_ns = REACH_NS / 5_000;
        let history = halves(50_000, distance_ns);
        assert!(history.forgotten_ns() > 0);
        assert!((5_000..=10_001).contains(&history.intervals.len()));
        assert!(history.forgotten_ns() <= history.end_ns() - REACH_NS);
    }

    #[test]
    fn memory_is_as_little_as_what_is_held_also_after_a_busy_time() {
        let mut history = halves(50_000, REACH_NS / 10_000);
        assert!(history.intervals.capacity() <= 20_002);
        let busy_ns = history.end_ns();
        for n in 1..40_000 {
            let start_ns = busy_ns + n * REACH_NS / 2_000;
            assert!(history.push(TimeRange::new(start_ns, start_ns + 1)));
        }
        assert!(
            history.intervals.capacity() <= 4_002,
            "{}",
            history.intervals.capacity()
        );
    }
}
