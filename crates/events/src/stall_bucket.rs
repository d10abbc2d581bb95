//! The length of the parts in which a window's course is kept.

/// A tenth of a second, in nanoseconds: short enough to see a stall of half a second, long enough that a slow server does
/// something in most of them.
pub const TENTH_NS: u64 = 100_000_000;

/// Tenths that are counted apart, more than a day; what comes later is counted in the last one.
pub const MOST_TENTHS: u64 = 1_000_000;

/// The tenth of `at_ns` in a window that starts at `start_ns`, from 0.
pub fn tenth(start_ns: u64, at_ns: u64) -> usize {
    let number = at_ns.saturating_sub(start_ns) / TENTH_NS;
    usize::try_from(number.min(MOST_TENTHS - 1)).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tenth_begins_where_the_one_before_ended() {
        assert_eq!(
            [5, 5 + TENTH_NS - 1, 5 + TENTH_NS].map(|at_ns| tenth(5, at_ns)),
            [0, 0, 1]
        );
        assert_eq!(tenth(5, 0), 0);
        assert_eq!(tenth(0, u64::MAX), 999_999);
    }
}
