//! Histograms of durations.

use hdrhistogram::Histogram;

/// Longest accepted duration: a day. A longer one comes from a damaged record.
///
/// It also keeps sums within 64 bits (for 200,000 days of waiting) and histograms within what they can hold.
pub(crate) const LONGEST_NS: u64 = 86_400_000_000_000;

/// Creates an empty histogram of durations in nanoseconds that grows as needed, precise to `digits` decimal digits (0 to 5).
#[expect(
    clippy::expect_used,
    reason = "creating fails for more than 5 digits only, and callers pass constants"
)]
pub(crate) fn empty(digits: u8) -> Histogram<u64> {
    Histogram::new(digits).expect("0 to 5 digits")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longest_duration_is_counted_as_it_is() {
        let mut histogram = empty(3);
        histogram += LONGEST_NS;
        assert!(histogram.equivalent(histogram.max(), LONGEST_NS));
    }
}
