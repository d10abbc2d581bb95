//! A half-open range of time.

use std::time::Duration;

/// Time from `start_ns` up to, but not including, `end_ns`, in nanoseconds of `CLOCK_MONOTONIC`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TimeRange {
    /// First nanosecond.
    pub start_ns: u64,
    /// Nanosecond after the last one.
    pub end_ns: u64,
}

impl TimeRange {
    /// Creates a range; it is empty if `end_ns` is not after `start_ns`.
    pub fn new(start_ns: u64, end_ns: u64) -> Self {
        Self { start_ns, end_ns }
    }

    /// Returns the length in nanoseconds.
    pub fn length_ns(self) -> u64 {
        self.end_ns.saturating_sub(self.start_ns)
    }

    /// Returns the length.
    pub fn length(self) -> Duration {
        Duration::from_nanos(self.length_ns())
    }

    /// Returns whether the range holds no time.
    pub fn is_empty(self) -> bool {
        self.end_ns <= self.start_ns
    }

    /// Returns whether the range holds the nanosecond `at_ns`.
    pub fn contains(self, at_ns: u64) -> bool {
        self.start_ns <= at_ns && at_ns < self.end_ns
    }

    /// Returns the time that both ranges hold.
    #[must_use]
    pub fn intersection(self, other: Self) -> Self {
        Self {
            start_ns: self.start_ns.max(other.start_ns),
            end_ns: self.end_ns.min(other.end_ns),
        }
    }

    /// Returns the part before `at_ns`.
    #[must_use]
    pub fn before(self, at_ns: u64) -> Self {
        Self::new(self.start_ns, self.end_ns.min(at_ns))
    }

    /// Returns the part from `at_ns` on.
    #[must_use]
    pub fn since(self, at_ns: u64) -> Self {
        Self::new(self.start_ns.max(at_ns), self.end_ns)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cutting_a_range_in_two_loses_nothing() {
        let whole = TimeRange::new(10, 20);
        for at_ns in 0..30 {
            let (before, since) = (whole.before(at_ns), whole.since(at_ns));
            assert_eq!(before.length_ns() + since.length_ns(), 10, "cut at {at_ns}");
            for ns in 0..30 {
                let parts = usize::from(before.contains(ns)) + usize::from(since.contains(ns));
                assert_eq!(parts, usize::from(whole.contains(ns)), "{ns} of a cut at {at_ns}");
            }
        }
    }

    #[test]
    fn adjacent_ranges_share_nothing() {
        let range = TimeRange::new;
        assert!(range(0, 10).intersection(range(10, 20)).is_empty());
        assert_eq!(range(0, 12).intersection(range(10, 20)), range(10, 12));
    }
}
