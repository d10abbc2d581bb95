//! The times in which not everything was traced, where only bursts are.

use logtrace_common::TimeRange;
use logtrace_events::Gap;

use crate::totals::breakdown::GapTotal;

/// What is known of them up to now.
#[derive(Debug, Default)]
pub(crate) struct Gaps {
    /// The end of the newest.
    seen_from_ns: u64,
    count: u64,
    untraced_ns: u64,
}

impl Gaps {
    /// Adds a gap, of which the part within the measured `window` counts; `false` when it overlaps the one before.
    pub(crate) fn push(&mut self, gap: Gap, window: TimeRange) -> bool {
        let gap = TimeRange::new(gap.start_ns, gap.end_ns);
        let fits = gap.start_ns >= self.seen_from_ns;
        if fits {
            self.seen_from_ns = gap.end_ns;
        }
        let measured = gap.intersection(window);
        if fits && !measured.is_empty() {
            self.count += 1;
            self.untraced_ns += measured.length_ns();
        }
        fits
    }

    /// Counts from here on.
    pub(crate) fn forget_counts(&mut self) {
        self.count = 0;
        self.untraced_ns = 0;
    }

    /// Of what began after this everything is known.
    pub(crate) fn seen_from_ns(&self) -> u64 {
        self.seen_from_ns
    }

    /// What they sum to in a window of which `measured_ns` were measured; `None` where everything was traced.
    pub(crate) fn total(&self, measured_ns: u64) -> Option<GapTotal> {
        (self.count > 0).then(|| GapTotal {
            count: self.count,
            untraced_ns: self.untraced_ns,
            traced_ns: measured_ns.saturating_sub(self.untraced_ns),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn gap(start_ns: u64, end_ns: u64) -> Gap {
        Gap { start_ns, end_ns }
    }

    #[test]
    fn what_lies_in_the_window_counts() {
        let window = TimeRange::new(100, 200);
        let mut gaps = Gaps::default();
        for (start_ns, end_ns) in [(10, 90), (95, 110), (120, 150), (190, 220), (230, 240)] {
            assert!(gaps.push(gap(start_ns, end_ns), window));
        }
        let total = gaps.total(window.length_ns()).unwrap();
        assert_eq!((total.count, total.untraced_ns, total.traced_ns), (3, 50, 50));
        assert_eq!(gaps.seen_from_ns(), 240);
    }

    #[test]
    fn a_gap_that_overlaps_the_one_before_is_refused() {
        let window = TimeRange::new(0, 100);
        let mut gaps = Gaps::default();
        assert!(gaps.push(gap(10, 30), window));
        assert!(!gaps.push(gap(20, 40), window));
        assert_eq!(gaps.total(100).unwrap().untraced_ns, 20);
    }

    #[test]
    fn without_a_gap_everything_was_traced() {
        let gaps = Gaps::default();
        assert_eq!((gaps.total(100), gaps.seen_from_ns()), (None, 0));
    }
}
