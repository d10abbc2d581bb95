//! Causes of the slowest commits, in bounded memory: totals by cause for each bucket of latency.

use crate::causes::cause_index::add_ns;

/// Logarithm of the number of buckets for each power of two: a bucket is at most 1.6 % wide.
const SUB_BITS: u32 = 6;

/// Commits by latency, in buckets; at most 3,776 of them.
#[derive(Debug, Default)]
pub(crate) struct LatencyBuckets {
    buckets: Vec<Bucket>,
    commits: u64,
}

/// Totals of commits of nearly the same latency, or of all the slowest commits.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Bucket {
    /// Number of commits.
    pub(crate) commits: u64,
    /// Sum of their durations.
    pub(crate) total_ns: u64,
    /// Nanoseconds by index of the cause.
    pub(crate) by_cause: Vec<u64>,
}

impl LatencyBuckets {
    /// Counts a commit and returns its bucket, to which its causes are added.
    pub(crate) fn add_commit(&mut self, length_ns: u64) -> &mut Bucket {
        let at = bucket_of(length_ns);
        if self.buckets.len() <= at {
            self.buckets.resize_with(at + 1, Bucket::default);
        }
        self.commits += 1;
        let bucket = &mut self.buckets[at];
        bucket.commits += 1;
        bucket.total_ns += length_ns;
        bucket
    }

    /// Returns the totals of the slowest buckets that together hold 1 % of the commits.
    pub(crate) fn slowest_hundredth(&self) -> Bucket {
        let wanted = self.commits.div_ceil(100);
        let mut slowest = Bucket::default();
        for bucket in self.buckets.iter().rev() {
            if slowest.commits >= wanted {
                break;
            }
            slowest.commits += bucket.commits;
            slowest.total_ns += bucket.total_ns;
            for (cause, &ns) in bucket.by_cause.iter().enumerate() {
                slowest.add(cause, ns);
            }
        }
        slowest
    }
}

impl Bucket {
    /// Adds time of the cause with this index.
    pub(crate) fn add(&mut self, cause: usize, ns: u64) {
        add_ns(&mut self.by_cause, cause, ns);
    }
}

/// Returns the index of a log-linear bucket, as in `HdrHistogram`: exact below `2 << SUB_BITS`, then `1 << SUB_BITS` buckets a power of two.
fn bucket_of(ns: u64) -> usize {
    let magnitude = ns.checked_ilog2().unwrap_or(0).saturating_sub(SUB_BITS);
    let in_magnitude = ns >> magnitude;
    usize::try_from((u64::from(magnitude) << SUB_BITS) + in_magnitude).unwrap_or(usize::MAX)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn buckets_rise_with_latency_and_are_narrow(ns in 0u64..u64::MAX / 2) {
            let at = bucket_of(ns);
            prop_assert!(at < 3_776);
            prop_assert!(bucket_of(ns + 1) - at <= 1);
            let wider = ns + ns / 32 + 1;
            prop_assert!(bucket_of(wider) > at, "{ns} and {wider} share a bucket");
        }
    }

    fn buckets(latencies: impl IntoIterator<Item = u64>) -> LatencyBuckets {
        let mut buckets = LatencyBuckets::default();
        for ns in latencies {
            buckets.add_commit(ns).add(0, ns);
        }
        buckets
    }

    #[test]
    fn few_commits_have_one_slowest() {
        let slowest = buckets([10, 30, 20]).slowest_hundredth();
        assert_eq!((slowest.commits, slowest.total_ns), (1, 30));
        assert_eq!(slowest.by_cause, [30]);
    }

    #[test]
    fn none_have_no_slowest() {
        assert_eq!(buckets([]).slowest_hundredth(), Bucket::default());
    }

    #[test]
    fn a_bucket_is_taken_whole() {
        let slowest = buckets((0..200).map(|_| 50)).slowest_hundredth();
        assert_eq!(slowest.commits, 200);
    }
}
