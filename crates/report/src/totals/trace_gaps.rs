//! Totals of the gaps between the bursts of a sampled trace.

use logtrace_common::TimeRange;
use logtrace_events::Gap;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Untraced times of the window.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Gaps {
    /// Number of gaps.
    pub count: u64,
    /// Time in gaps.
    pub untraced: u64,
    /// Time of the window outside gaps.
    pub traced: u64,
}

/// Sums over the gaps so far.
#[derive(Debug, Default)]
pub(crate) struct GapTotals {
    /// End of the newest gap.
    seen_from_ns: u64,
    count: u64,
    untraced_ns: u64,
}

impl Gaps {
    /// Returns the traced part of the window, from 0 to 1.
    pub fn traced_share(self) -> f64 {
        self.traced as f64 / (self.traced + self.untraced) as f64
    }
}

impl GapTotals {
    /// Adds a gap; the part within the measured `window` counts. Returns `false` if it overlaps the gap before.
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

    /// Resets the totals.
    pub(crate) fn forget_counts(&mut self) {
        self.count = 0;
        self.untraced_ns = 0;
    }

    /// Returns the end of the newest gap: all that began later was traced.
    pub(crate) fn seen_from_ns(&self) -> u64 {
        self.seen_from_ns
    }

    /// Returns the totals of a window of which `measured_ns` were measured, or `None` if all of it was traced.
    pub(crate) fn total(&self, measured_ns: u64) -> Option<Gaps> {
        (self.count > 0).then(|| Gaps {
            count: self.count,
            untraced: self.untraced_ns,
            traced: measured_ns.saturating_sub(self.untraced_ns),
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
        let mut gaps = GapTotals::default();
        for (start_ns, end_ns) in [(10, 90), (95, 110), (120, 150), (190, 220), (230, 240)] {
            assert!(gaps.push(gap(start_ns, end_ns), window));
        }
        let total = gaps.total(window.length_ns()).unwrap();
        assert_eq!((total.count, total.untraced, total.traced), (3, 50, 50));
        assert_eq!(gaps.seen_from_ns(), 240);
    }

    #[test]
    fn a_gap_that_overlaps_the_one_before_is_refused() {
        let window = TimeRange::new(0, 100);
        let mut gaps = GapTotals::default();
        assert!(gaps.push(gap(10, 30), window));
        assert!(!gaps.push(gap(20, 40), window));
        assert_eq!(gaps.total(100).unwrap().untraced, 20);
    }

    #[test]
    fn without_a_gap_everything_was_traced() {
        let gaps = GapTotals::default();
        assert_eq!((gaps.total(100), gaps.seen_from_ns()), (None, 0));
    }
}
