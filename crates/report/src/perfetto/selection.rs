//! Part of a recording that is exported.

use logtrace_common::TimeRange;

/// Commits that are exported, with what all threads did meanwhile.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Selection {
    /// All of the window.
    Whole,
    /// Exemplars: the slowest commits, typical ones of each band of durations, and those of stalls.
    Exemplars,
    /// Part of the window, in nanoseconds from its start.
    Part(TimeRange),
    /// This many of the slowest commits: at most 64.
    Slowest(usize),
}

/// Times of a recording that are exported, disjoint and in order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct ExportedTimes(Vec<TimeRange>);

impl ExportedTimes {
    /// Returns the times with all of these ranges.
    pub(super) fn of(mut ranges: Vec<TimeRange>) -> Self {
        ranges.sort_by_key(|range| range.start_ns);
        let mut times: Vec<TimeRange> = Vec::new();
        for range in ranges {
            match times.last_mut() {
                Some(last) if range.start_ns <= last.end_ns => last.end_ns = last.end_ns.max(range.end_ns),
                _ => times.push(range),
            }
        }
        Self(times)
    }

    /// Returns whether an interval has a part in these times.
    pub(super) fn meet(&self, interval: TimeRange) -> bool {
        let first = self.0.partition_point(|range| range.end_ns <= interval.start_ns);
        let range = self.0.get(first);
        range.is_some_and(|range| range.start_ns < interval.end_ns)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_are_joined_and_intervals_with_a_part_in_them_are_found() {
        let range = TimeRange::new;
        let times = ExportedTimes::of(vec![range(10, 20), range(40, 50), range(15, 30), range(50, 60)]);
        assert_eq!(times.0, [range(10, 30), range(40, 60)]);
        for (interval, meets) in [
            (range(0, 10), false),
            (range(0, 11), true),
            (range(30, 40), false),
            (range(29, 31), true),
            (range(0, 100), true),
            (range(60, 70), false),
        ] {
            assert_eq!(times.meet(interval), meets, "{interval:?}");
        }
    }
}
