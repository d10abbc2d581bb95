//! Periods with missing records.

use logtrace_common::TimeRange;

/// Minimum number of stored periods. Older ones are removed, this many at a time. Losses are read a few times a second, and
/// periods that meet are joined.
const KEPT: usize = 512;

/// Periods in which records may be missing, in order: they were lost, or tracing paused.
#[derive(Debug, Default)]
pub(crate) struct Blanks {
    kept: Vec<TimeRange>,
}

impl Blanks {
    /// Adds a period, which begins no earlier than the periods before it.
    pub(crate) fn push(&mut self, blank: TimeRange) {
        match self.kept.last_mut() {
            Some(last) if blank.start_ns <= last.end_ns => last.end_ns = last.end_ns.max(blank.end_ns),
            _ => {
                if self.kept.len() == 2 * KEPT {
                    self.kept.drain(..KEPT);
                }
                self.kept.push(blank);
            }
        }
    }

    /// Returns whether any period overlaps `window`.
    pub(crate) fn meet(&self, window: TimeRange) -> bool {
        let after = self.kept.partition_point(|blank| blank.end_ns <= window.start_ns);
        self.kept
            .get(after)
            .is_some_and(|blank| !blank.intersection(window).is_empty())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_window_meets_the_blanks_in_it_and_no_others() {
        let mut blanks = Blanks::default();
        assert!(!blanks.meet(TimeRange::new(0, 100)));
        for (start_ns, end_ns) in [(10, 20), (15, 30), (50, 60)] {
            blanks.push(TimeRange::new(start_ns, end_ns));
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
                blanks.meet(TimeRange::new(start_ns, end_ns)),
                meets,
                "{start_ns} to {end_ns}"
            );
        }
    }

    #[test]
    fn they_take_bounded_memory() {
        let mut blanks = Blanks::default();
        for number in 0..10_000 {
            blanks.push(TimeRange::new(20 * number, 20 * number + 10));
        }
        assert!(blanks.kept.len() <= 2 * KEPT);
        assert!(blanks.meet(TimeRange::new(20 * 9_999, 20 * 9_999 + 1)));
    }
}
