//! Delays of requests to a file system.

use std::num::NonZeroU64;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::thread;
use std::time::{Duration, Instant};

/// Delays of three kinds of requests, and whether one of them fails.
#[derive(Debug, Default)]
pub(crate) struct Delays {
    pub(crate) sync: Delay,
    pub(crate) read: Delay,
    pub(crate) write: Delay,
    /// Whether each fsync fails.
    pub(crate) syncs_fail: AtomicBool,
}

/// A delay of each request, and how long it was by the clock: a busy machine wakes who sleeps too late. Nanoseconds.
#[derive(Debug, Default)]
pub(crate) struct Delay {
    pub(crate) wanted: AtomicU64,
    pub(crate) slept: AtomicU64,
    pub(crate) times: AtomicU64,
}

impl Delay {
    /// Makes the next delays so long, and forgets those before.
    pub(crate) fn set(&self, wanted: Duration) {
        let wanted = u64::try_from(wanted.as_nanos()).unwrap();
        self.wanted.store(wanted, Relaxed);
        self.slept.store(0, Relaxed);
        self.times.store(0, Relaxed);
    }

    /// Ends the delays. The sum of those before stays.
    pub(crate) fn end(&self) {
        self.wanted.store(0, Relaxed);
    }

    /// Whether there is one now.
    pub(crate) fn is_wanted(&self) -> bool {
        self.wanted.load(Relaxed) > 0
    }

    /// Sleeps as exactly as the kernel can.
    pub(crate) fn wait(&self) {
        let wanted = self.wanted.load(Relaxed);
        if wanted == 0 {
            return;
        }
        let start = Instant::now();
        // The usual slack of 50 us would be a part of the delay that nobody asked for.
        let _ = rustix::thread::set_current_timer_slack(NonZeroU64::new(1));
        thread::sleep(Duration::from_nanos(wanted));
        let slept = u64::try_from(start.elapsed().as_nanos()).unwrap();
        self.slept.fetch_add(slept, Relaxed);
        self.times.fetch_add(1, Relaxed);
    }
}
