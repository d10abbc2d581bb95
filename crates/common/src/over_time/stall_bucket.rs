//! Buckets of a tenth of a second, in which stalls are found.

/// Length of a bucket in nanoseconds. It is short enough to show a stall of half a second, and long enough that a slow
/// server completes something in most buckets.
pub const STALL_BUCKET_NS: u64 = 100_000_000;

/// Number of buckets that are counted separately: more than a day. The last one counts everything later.
pub const MAX_STALL_BUCKETS: u64 = 1_000_000;

/// Returns the index of the bucket that holds `at_ns`, in a window that starts at `start_ns`.
pub fn stall_bucket(start_ns: u64, at_ns: u64) -> usize {
    let number = at_ns.saturating_sub(start_ns) / STALL_BUCKET_NS;
    usize::try_from(number.min(MAX_STALL_BUCKETS - 1)).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bucket_begins_where_the_previous_one_ends() {
        assert_eq!(
            [5, 5 + STALL_BUCKET_NS - 1, 5 + STALL_BUCKET_NS].map(|at_ns| stall_bucket(5, at_ns)),
            [0, 0, 1]
        );
        assert_eq!(stall_bucket(5, 0), 0);
        assert_eq!(stall_bucket(0, u64::MAX), 999_999);
    }
}
