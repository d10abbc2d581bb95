//! Clocks that the driver reads: `CLOCK_MONOTONIC`, as the kernel side does, and the CPU time of a thread.

use rustix::time::{ClockId, Timespec, clock_gettime};

/// Number of nanoseconds in a second.
pub(crate) const NS_PER_S: u64 = 1_000_000_000;

/// Returns the time in nanoseconds of `CLOCK_MONOTONIC`, the clock of all times in logtrace.
pub fn now_ns() -> u64 {
    nanoseconds(clock_gettime(ClockId::Monotonic))
}

/// Returns the CPU time that the calling thread has used, in nanoseconds.
pub fn thread_cpu_ns() -> u64 {
    nanoseconds(clock_gettime(ClockId::ThreadCPUTime))
}

/// Converts a time of `CLOCK_MONOTONIC` for system calls.
pub(crate) fn timespec(at_ns: u64) -> Timespec {
    Timespec {
        tv_sec: i64::try_from(at_ns / NS_PER_S).unwrap_or(i64::MAX),
        tv_nsec: (at_ns % NS_PER_S) as _,
    }
}

/// Returns a duration in nanoseconds, at most 584 years.
pub(crate) fn duration_ns(duration: std::time::Duration) -> u64 {
    u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX)
}

/// Returns the rate per second of `count` in `length_ns`; 0 if the length is 0.
pub(crate) fn per_s(count: f64, length_ns: u64) -> f64 {
    match length_ns {
        0 => 0.0,
        length_ns => count * NS_PER_S as f64 / length_ns as f64,
    }
}

fn nanoseconds(time: Timespec) -> u64 {
    // Neither clock is ever negative.
    let seconds = u64::try_from(time.tv_sec).unwrap_or(0);
    seconds * NS_PER_S + u64::try_from(time.tv_nsec).unwrap_or(0)
}
