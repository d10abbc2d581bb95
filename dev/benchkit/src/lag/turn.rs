//! Values that the turns of both clients share.

use std::time::Duration;

/// Load before the measured part of a turn, of either client.
pub(super) const WARMUP: Duration = Duration::from_millis(500);

/// Returns the number of entries that a map needs, with room for more arrivals than the rate says.
pub(super) fn room(rate_per_s: f64, seconds: f64) -> usize {
    (2.0 * rate_per_s * seconds) as usize + 4096
}

pub(super) fn nanoseconds(duration: Duration) -> u64 {
    u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX)
}
