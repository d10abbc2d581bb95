//! The kernel's clocks in nanoseconds.

use rustix::time::{ClockId, clock_gettime};

/// Returns the time of a clock in nanoseconds.
pub(crate) fn clock_ns(clock: ClockId) -> u64 {
    let time = clock_gettime(clock);
    u64::try_from(time.tv_sec).unwrap_or(0) * 1_000_000_000 + u64::try_from(time.tv_nsec).unwrap_or(0)
}
