//! The clocks that the driver reads: the kernel side's and the thread's own CPU time.

use rustix::time::{ClockId, Timespec, clock_gettime};

/// Nanoseconds in a second.
pub(crate) const NS_PER_S: u64 = 1_000_000_000;

/// Now, in nanoseconds of `CLOCK_MONOTONIC`: the clock of every time in logtrace.
pub fn now_ns() -> u64 {
    nanoseconds(clock_gettime(ClockId::Monotonic))
}

/// CPU time that the calling thread has used, in nanoseconds.
pub(crate) fn thread_cpu_ns() -> u64 {
    nanoseconds(clock_gettime(ClockId::ThreadCPUTime))
}

/// The time of `CLOCK_MONOTONIC` as the kernel takes it.
pub(crate) fn timespec(at_ns: u64) -> Timespec {
    Timespec {
        tv_sec: i64::try_from(at_ns / NS_PER_S).unwrap_or(i64::MAX),
        tv_nsec: (at_ns % NS_PER_S) as _,
    }
}

/// A duration in nanoseconds; 584 years and more become the longest one.
pub(crate) fn duration_ns(duration: std::time::Duration) -> u64 {
    u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX)
}

/// How many a second `count` in `length_ns` are; none in no time.
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
