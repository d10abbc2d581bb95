//! Histograms of durations.

use hdrhistogram::Histogram;

use crate::totals::distribution::Distribution;

/// Longest accepted duration: a day. A longer one comes from a damaged record.
///
/// It also keeps sums within 64 bits (for 200,000 days of waiting) and histograms within what they can hold.
pub(crate) const LONGEST_NS: u64 = 86_400_000_000_000;

/// Durations in nanoseconds: their exact sum, and a histogram that grows as needed.
#[derive(Debug)]
pub(crate) struct Durations {
    pub(crate) total_ns: u64,
    histogram: Histogram<u64>,
}

impl Durations {
    /// Creates empty sums, with a histogram that is precise to `digits` decimal digits (0 to 5).
    #[expect(
        clippy::expect_used,
        reason = "creating fails for more than 5 digits only, and callers pass constants"
    )]
    pub(crate) fn new(digits: u8) -> Self {
        Self {
            total_ns: 0,
            histogram: Histogram::new(digits).expect("0 to 5 digits"),
        }
    }

    pub(crate) fn add(&mut self, length_ns: u64) {
        self.total_ns += length_ns;
        self.histogram += length_ns;
    }

    /// Adds all durations of another histogram of the same precision.
    pub(crate) fn merge(&mut self, other: &Self) {
        self.total_ns += other.total_ns;
        self.histogram += &other.histogram;
    }

    /// Returns the number of durations.
    pub(crate) fn count(&self) -> u64 {
        self.histogram.len()
    }

    pub(crate) fn distribution(&self) -> Distribution {
        Distribution::from(&self.histogram)
    }
}
