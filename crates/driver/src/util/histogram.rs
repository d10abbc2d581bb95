//! Histograms of nanoseconds.

use hdrhistogram::Histogram;

/// Significant digits of every histogram: values are kept to 0.1 %.
const SIGNIFICANT_DIGITS: u8 = 3;

/// An empty histogram of nanoseconds that takes every value: it grows instead of cutting off.
#[expect(clippy::expect_used, reason = "the precision is a constant that is valid")]
pub(crate) fn new_histogram() -> Histogram<u64> {
    Histogram::new(SIGNIFICANT_DIGITS).expect("3 significant digits are valid")
}
