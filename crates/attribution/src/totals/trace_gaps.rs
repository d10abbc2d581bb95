//! Totals of the gaps between the bursts of a sampled trace.

use logtrace_common::TimeRange;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Untraced times of the window.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
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
    /// End of the newest gap: all that began later was traced.
    pub(crate) seen_from_ns: u64,
    /// Gaps of the window; their `traced` is not known yet.
    pub(crate) totals: Gaps,
}

impl Gaps {
    /// Returns the traced part of the window, from 0 to 1.
    pub fn traced_share(self) -> f64 {
        self.traced as f64 / (self.traced + self.untraced) as f64
    }
}

impl GapTotals {
    /// Adds a gap; the part within the measured `window` counts. Returns `false` if it overlaps the gap before.
    pub(crate) fn push(&mut self, gap: TimeRange, window: TimeRange) -> bool {
        let fits = gap.start_ns >= self.seen_from_ns;
        if fits {
            self.seen_from_ns = gap.end_ns;
        }
        let measured = gap.intersection(window);
        if fits && !measured.is_empty() {
            self.totals.count += 1;
            self.totals.untraced += measured.length_ns();
        }
        fits
    }

    /// Returns the totals of a window of which `measured_ns` were measured, or `None` if all of it was traced.
    pub(crate) fn total(&self, measured_ns: u64) -> Option<Gaps> {
        (self.totals.count > 0).then(|| Gaps {
            traced: measured_ns.saturating_sub(self.totals.untraced),
            ..self.totals
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_lies_in_the_window_counts() {
        let window = TimeRange::new(100, 200);
        let mut gaps = GapTotals::default();
        for (start_ns, end_ns) in [(10, 90), (95, 110), (120, 150), (190, 220), (230, 240)] {
            assert!(gaps.push(TimeRange::new(start_ns, end_ns), window));
        }
        let total = gaps.total(window.length_ns()).unwrap();
        assert_eq!((total.count, total.untraced, total.traced), (3, 50, 50));
        assert_eq!(gaps.seen_from_ns, 240);
    }

    #[test]
    fn a_gap_that_overlaps_the_one_before_is_refused() {
        let window = TimeRange::new(0, 100);
        let mut gaps = GapTotals::default();
        assert!(gaps.push(TimeRange::new(10, 30), window));
        assert!(!gaps.push(TimeRange::new(20, 40), window));
        assert_eq!(gaps.total(100).unwrap().untraced, 20);
    }

    #[test]
    fn without_a_gap_everything_was_traced() {
        let gaps = GapTotals::default();
        assert_eq!((gaps.total(100), gaps.seen_from_ns), (None, 0));
    }
}
