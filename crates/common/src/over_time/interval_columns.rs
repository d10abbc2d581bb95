//! Sums of the time of intervals by columns of time.

use std::collections::BTreeMap;
use std::ops::AddAssign;

use crate::over_time::time_columns::TimeColumns;
use crate::time_range::TimeRange;

/// Time of intervals in each column ([`TimeColumns`]). An interval costs the same memory and time however long it is, and the sums
/// are exact: only its two ends are kept, as their number in a column and the sum of their times.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IntervalColumns {
    start_ns: u64,
    ends: TimeColumns<End, Ends>,
}

/// End of an interval: its first or last moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum End {
    First,
    Last,
}

/// Ends of intervals.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Ends {
    count: u64,
    /// Sum of their times from the start of the window, in nanoseconds.
    sum_ns: u128,
}

impl AddAssign for Ends {
    fn add_assign(&mut self, other: Self) {
        let Self { count, sum_ns } = other;
        self.count += count;
        self.sum_ns += sum_ns;
    }
}

impl IntervalColumns {
    /// Creates the columns of a window, without intervals.
    pub fn new(start_ns: u64) -> Self {
        Self {
            start_ns,
            ends: TimeColumns::new(start_ns),
        }
    }

    /// Adds an interval. What is before the window is left out.
    pub fn add(&mut self, interval: TimeRange) {
        if interval.is_empty() || interval.end_ns <= self.start_ns {
            return;
        }
        for (end, at_ns) in [(End::First, interval.start_ns), (End::Last, interval.end_ns)] {
            let sum_ns = at_ns.saturating_sub(self.start_ns).into();
            *self.ends.sum_at(at_ns, end) += Ends { count: 1, sum_ns };
        }
    }

    /// Adds the intervals of other columns of the same window.
    pub fn merge(&mut self, other: &Self) {
        self.ends.add(&other.ends);
    }

    /// Returns the width of a column in nanoseconds.
    pub fn column_ns(&self) -> u64 {
        self.ends.width_ns()
    }

    /// Returns the nanoseconds of all intervals together in each column that has some, in the order of columns.
    pub fn times(&self) -> Vec<(u64, u64)> {
        let ends: BTreeMap<(u64, bool), Ends> = self
            .ends
            .sums()
            .map(|((column, end), sum)| ((column, end == End::Last), sum))
            .collect();
        let columns = ends.keys().next_back().map_or(0, |&(last, _)| last + 1);
        // At a time t, the intervals that began have had the sum of t - begin, without the sum of t - end of those that ended.
        let (mut under_way, mut begun_ns, mut before_ns) = (0_i128, 0_i128, 0_i128);
        let times = (0..columns).map(|column| {
            for (is_last, sign) in [(false, 1), (true, -1)] {
                let Ends { count, sum_ns } = ends.get(&(column, is_last)).copied().unwrap_or_default();
                under_way += sign * i128::from(count);
                begun_ns += sign * i128::try_from(sum_ns).unwrap_or(i128::MAX);
            }
            let end_ns = i128::from(column + 1) * i128::from(self.column_ns());
            let until_ns = end_ns * under_way - begun_ns;
            let in_column_ns = until_ns - std::mem::replace(&mut before_ns, until_ns);
            (column, u64::try_from(in_column_ns).unwrap_or(u64::MAX))
        });
        times.filter(|&(_, ns)| ns > 0).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::over_time::time_columns::MOST_COLUMNS;

    const TENTH_NS: u64 = 100_000_000;
    const START_NS: u64 = 7 * TENTH_NS + 5;

    fn of(intervals: &[(u64, u64)]) -> IntervalColumns {
        let mut columns = IntervalColumns::new(START_NS);
        for &(from_ns, to_ns) in intervals {
            columns.add(TimeRange::new(START_NS + from_ns, START_NS + to_ns));
        }
        columns
    }

    /// Adds the parts of each interval up, column by column.
    fn expected(intervals: &[(u64, u64)], width_ns: u64) -> Vec<(u64, u64)> {
        let times = (0..=MOST_COLUMNS).map(|column| {
            let column_of = TimeRange::new(column * width_ns, (column + 1) * width_ns);
            let parts = intervals.iter();
            let parts = parts.map(|&(from, to)| TimeRange::new(from, to).intersection(column_of));
            (column, parts.map(TimeRange::length_ns).sum())
        });
        times.filter(|&(_, ns)| ns > 0).collect()
    }

    /// Returns intervals from nothing to five columns long.
    fn made_up(longest_ns: u64) -> Vec<(u64, u64)> {
        let mut noise = 1_u64;
        let mut random = |below: u64| {
            noise = noise
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            (noise >> 11) % below
        };
        let intervals = (0..500).map(|_| {
            let from_ns = random(longest_ns);
            (from_ns, from_ns + random(5 * TENTH_NS))
        });
        intervals.collect()
    }

    #[test]
    fn each_column_has_exactly_its_part_of_each_interval() {
        for longest_ns in [TENTH_NS, 100 * TENTH_NS, 2_000 * TENTH_NS] {
            let intervals = made_up(longest_ns);
            let columns = of(&intervals);
            assert_eq!(columns.times(), expected(&intervals, columns.column_ns()));
        }
        assert_eq!(of(&made_up(2_000 * TENTH_NS)).column_ns(), 4 * TENTH_NS);
    }

    #[test]
    fn the_parts_of_two_threads_are_those_of_one() {
        let intervals = made_up(1_000 * TENTH_NS);
        for split in [0, 1, 250, 500] {
            let (mut one, other) = (of(&intervals[..split]), of(&intervals[split..]));
            one.merge(&other);
            assert_eq!(one.times(), of(&intervals).times(), "{split}");
        }
    }

    #[test]
    fn what_is_before_the_window_or_empty_has_no_time() {
        let mut columns = of(&[(5, 5)]);
        columns.add(TimeRange::new(0, START_NS));
        assert_eq!(columns.times(), []);
        columns.add(TimeRange::new(START_NS - 9, START_NS + 2));
        assert_eq!(columns.times(), [(0, 2)]);
        columns.add(TimeRange::new(0, u64::MAX));
        assert_eq!(
            columns
                .times()
                .iter()
                .map(|&(_, ns)| u128::from(ns))
                .sum::<u128>(),
            u128::from(u64::MAX - START_NS) + 2
        );
    }
}
