//! A distribution of durations, summed up.

use hdrhistogram::Histogram;
use logtrace_common::units;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Steps into which the histogram divides a duration at least: its maximum is the end of a step (three digits).
const STEPS: u64 = 1_000;

/// Count, mean, percentiles and maximum of durations in nanoseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Distribution {
    /// Number of values.
    pub count: u64,
    /// Arithmetic mean.
    pub mean: u64,
    /// Median.
    pub p50: u64,
    /// 90th percentile.
    pub p90: u64,
    /// 95th percentile.
    pub p95: u64,
    /// 99th percentile.
    pub p99: u64,
    /// 99.9th percentile.
    pub p999: u64,
    /// Longest duration.
    pub max: u64,
}

impl Distribution {
    /// Returns whether a duration is the longest one, as far as the histogram tells durations apart.
    pub fn is_longest(&self, ns: u64) -> bool {
        self.max.abs_diff(ns) <= self.max / STEPS
    }
}

impl From<&Histogram<u64>> for Distribution {
    fn from(histogram: &Histogram<u64>) -> Self {
        if histogram.is_empty() {
            return Self::default();
        }
        Self {
            count: histogram.len(),
            mean: units::whole(histogram.mean()),
            p50: histogram.value_at_quantile(0.5),
            p90: histogram.value_at_quantile(0.9),
            p95: histogram.value_at_quantile(0.95),
            p99: histogram.value_at_quantile(0.99),
            p999: histogram.value_at_quantile(0.999),
            max: histogram.max(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_has_no_percentiles() {
        assert_eq!(
            Distribution::from(&Histogram::new(3).unwrap()),
            Distribution::default()
        );
    }

    #[test]
    fn percentiles_are_within_the_histograms_precision() {
        let mut histogram = Histogram::new(3).unwrap();
        for value in 1..=10_000u64 {
            histogram.record(value).unwrap();
        }
        let seen = Distribution::from(&histogram);
        for (value, exact) in [
            (seen.p50, 5_000),
            (seen.p90, 9_000),
            (seen.p99, 9_900),
            (seen.p999, 9_990),
        ] {
            assert!(
                value.abs_diff(exact) * 1_000 <= exact,
                "{value} is not within 0.1 % of {exact}"
            );
        }
        assert_eq!(
            (seen.count, seen.mean),
            (10_000, 5_001),
            "the mean of the recorded buckets' middles"
        );
    }
}
