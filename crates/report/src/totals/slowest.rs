//! What the slowest commits waited for, in bounded memory: totals of causes for each bucket of latency.

use crate::totals::breakdown::Slowest;

/// Each power of two is cut into `1 << SUB_BITS` buckets, so that a bucket is at most 1.6 % wide.
const SUB_BITS: u32 = 6;

/// Commits by latency, in buckets; at most 3,776 of them.
#[derive(Debug, Default)]
pub(crate) struct LatencyBuckets {
    buckets: Vec<Bucket>,
    commits: u64,
}

/// The commits of nearly one latency.
#[derive(Clone, Debug, Default)]
pub(crate) struct Bucket {
    commits: u64,
    total_ns: u64,
    by_cause: Vec<u64>,
}

impl LatencyBuckets {
    /// Counts a commit, and gives its bucket for its causes.
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

    /// The buckets from the slowest down until they hold a hundredth of the commits, and their totals by cause.
    pub(crate) fn slowest_hundredth(&self) -> (Slowest, Vec<u64>) {
        let wanted = self.commits.div_ceil(100);
        let mut slowest = Slowest::default();
        let mut by_cause = Vec::new();
        for bucket in self.buckets.iter().rev() {
            if slowest.commits >= wanted {
                break;
            }
            slowest.commits += bucket.commits;
            slowest.total_ns += bucket.total_ns;
            add_each(&mut by_cause, &bucket.by_cause);
        }
        (slowest, by_cause)
    }
}

impl Bucket {
    /// Adds time of the cause with this index.
    pub(crate) fn add(&mut self, cause: usize, ns: u64) {
        if self.by_cause.len() <= cause {
            self.by_cause.resize(cause + 1, 0);
        }
        self.by_cause[cause] += ns;
    }
}

fn add_each(sums: &mut Vec<u64>, more: &[u64]) {
    sums.resize(sums.len().max(more.len()), 0);
    for (sum, ns) in sums.iter_mut().zip(more) {
        *sum += ns;
    }
}

/// Log-linear, as in `HdrHistogram`: exact below `2 << SUB_BITS`, then `1 << SUB_BITS` buckets a power of two.
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
        let (slowest, by_cause) = buckets([10, 30, 20]).slowest_hundredth();
        assert_eq!(
            slowest,
            Slowest {
                commits: 1,
                total_ns: 30
            }
        );
        assert_eq!(by_cause, [30]);
    }

    #[test]
    fn none_have_no_slowest() {
        assert_eq!(buckets([]).slowest_hundredth(), (Slowest::default(), vec![]));
    }

    #[test]
    fn a_bucket_is_taken_whole() {
        let (slowest, _) = buckets((0..200).map(|_| 50)).slowest_hundredth();
        assert_eq!(slowest.commits, 200);
    }
}
