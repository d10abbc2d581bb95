//! Histograms of nanoseconds.

use hdrhistogram::Histogram;

/// Significant digits of every histogram: values have an error of up to 0.1 %.
const SIGNIFICANT_DIGITS: u8 = 3;

/// Creates an empty histogram of nanoseconds. It grows as needed, so no value is cut off.
#[expect(clippy::expect_used, reason = "the precision is a constant that is valid")]
pub(crate) fn new_histogram() -> Histogram<u64> {
    Histogram::new(SIGNIFICANT_DIGITS).expect("3 significant digits are valid")
}
