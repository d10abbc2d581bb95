//! Signals between the explaining thread and the rest of the program.

use logtrace_common::TimeRange;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use logtrace_driver::now_ns;

/// Time between two looks at the window.
const LOOK_EVERY: Duration = Duration::from_millis(100);

/// Window of the measurement and progress of the explanation. Times are in nanoseconds of `CLOCK_MONOTONIC`, the clock
/// of the kernel side.
#[derive(Debug, Default)]
pub(crate) struct WindowSignal {
    window: OnceLock<TimeRange>,
    end_ns: OnceLock<u64>,
    commits: AtomicU64,
}

impl WindowSignal {
    /// Announces the window. It applies from the next record on, and further calls have no effect.
    pub(crate) fn announce(&self, window: TimeRange) {
        // A second value has no effect.
        let _ = self.window.set(window);
    }

    /// Ends the window early.
    pub(crate) fn end(&self, at_ns: u64) {
        // A second value has no effect.
        let _ = self.end_ns.set(at_ns);
    }

    pub(crate) fn window(&self) -> Option<TimeRange> {
        self.window.get().copied()
    }

    /// Waits for the end of the window.
    pub(crate) async fn over(&self) {
        while self.window().is_none_or(|window| now_ns() < window.end_ns) {
            tokio::time::sleep(LOOK_EVERY).await;
        }
    }

    /// Returns the early end of the window.
    pub(crate) fn ended(&self) -> Option<u64> {
        self.end_ns.get().copied()
    }

    /// Returns the number of commits explained so far.
    pub(crate) fn commits(&self) -> u64 {
        self.commits.load(Ordering::Relaxed)
    }

    /// Sets the number of commits explained so far.
    pub(crate) fn count(&self, commits: u64) {
        self.commits.store(commits, Ordering::Relaxed);
    }
}
