//! Periods with missing records.
//!
//! A thread is on the CPU wherever no record says otherwise, so the lost record of a wait would turn the wait into CPU
//! time. In such a period, time that no record explains is unexplained, and requests have no parts. The reader notes
//! between which two of its looks the count of lost records grew.

use logtrace_common::TimeRange;

/// Minimum number of stored periods. Older ones are removed, this many at a time. Losses are read a few times a second, and
/// periods that meet become one.
const KEPT: usize = 512;

/// Periods in which records may be missing, in order: they were lost, or tracing paused.
#[derive(Debug, Default)]
pub(crate) struct LostPeriods {
    kept: Vec<TimeRange>,
}

impl LostPeriods {
    /// Adds a period, which begins no earlier than the periods before it.
    pub(crate) fn push(&mut self, period: TimeRange) {
        match self.kept.last_mut() {
            Some(last) if period.start_ns <= last.end_ns => last.end_ns = last.end_ns.max(period.end_ns),
            _ => {
                if self.kept.len() == 2 * KEPT {
                    self.kept.drain(..KEPT);
                }
                self.kept.push(period);
            }
        }
    }

    /// Returns whether any period overlaps `range`.
    pub(crate) fn meet(&self, range: TimeRange) -> bool {
        let after = self
            .kept
            .partition_point(|period| period.end_ns <= range.start_ns);
        self.kept
            .get(after)
            .is_some_and(|period| !period.intersection(range).is_empty())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_range_meets_the_periods_in_it_and_no_others() {
        let mut periods = LostPeriods::default();
        assert!(!periods.meet(TimeRange::new(0, 100)));
        for (start_ns, end_ns) in [(10, 20), (15, 30), (50, 60)] {
            periods.push(TimeRange::new(start_ns, end_ns));
        }
        for (start_ns, end_ns, meets) in [
            (0, 10, false),
            (0, 11, true),
            (29, 31, true),
            (30, 50, false),
            (0, 100, true),
            (59, 70, true),
            (60, 70, false),
            (55, 55, false),
        ] {
            assert_eq!(
                periods.meet(TimeRange::new(start_ns, end_ns)),
                meets,
                "{start_ns} to {end_ns}"
            );
        }
    }

    #[test]
    fn they_take_bounded_memory() {
        let mut periods = LostPeriods::default();
        for number in 0..10_000 {
            periods.push(TimeRange::new(20 * number, 20 * number + 10));
        }
        assert!(periods.kept.len() <= 2 * KEPT);
        assert!(periods.meet(TimeRange::new(20 * 9_999, 20 * 9_999 + 1)));
    }
}
