//! Rows of a heat map of latencies.

/// Rows of an octave.
const ROWS: u64 = 8;
const ROWS_LOG: u32 = 3;

/// Returns the row of a duration in nanoseconds. An octave, from a power of two to the next one, has eight rows of equal width.
/// Durations below 8 ns have a row each. A row is at most an eighth as wide as its durations.
pub fn latency_row(ns: u64) -> u16 {
    let octave = ns.max(1).ilog2();
    let Some(shift) = octave.checked_sub(ROWS_LOG) else {
        return u16::try_from(ns).unwrap_or(0);
    };
    let row = ROWS * u64::from(shift) + (ns >> shift);
    u16::try_from(row).unwrap_or(u16::MAX)
}

/// Returns the shortest duration of a row in nanoseconds; the longest of all for a row that no duration has.
pub fn latency_row_start_ns(row: u16) -> u64 {
    let row = u64::from(row);
    let Some(shift) = (row / ROWS).checked_sub(1) else {
        return row;
    };
    let start = u32::try_from(shift)
        .ok()
        .and_then(|shift| (ROWS + row % ROWS).checked_mul(1_u64.checked_shl(shift)?));
    start.unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_follow_each_other_without_a_gap() {
        let mut row = 0;
        for ns in 0..100_000 {
            let next = latency_row(ns);
            assert!(next == row || next == row + 1, "{ns}");
            if next > row {
                assert_eq!(latency_row_start_ns(next), ns);
            }
            row = next;
        }
    }

    #[test]
    fn an_octave_has_eight_rows() {
        for octave in 3..64 {
            let start_ns = 1_u64 << octave;
            let row = latency_row(start_ns);
            assert_eq!(latency_row_start_ns(row), start_ns);
            assert_eq!(latency_row(start_ns - 1) + 1, row);
            assert_eq!(latency_row(start_ns + start_ns / 2), row + 4);
        }
        assert_eq!(latency_row(u64::MAX), 495);
        assert_eq!(latency_row_start_ns(496), u64::MAX);
    }
}
