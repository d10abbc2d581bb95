//! What the thread that explains commits and the rest of the program tell each other.

use logtrace_common::TimeRange;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

/// Shared by both sides. Times are nanoseconds of `CLOCK_MONOTONIC`, the kernel side's clock.
#[derive(Debug, Default)]
pub(crate) struct Exchange {
    window: OnceLock<TimeRange>,
    end_ns: OnceLock<u64>,
    commits: AtomicU64,
}

impl Exchange {
    /// Announces the window, which counts from the next record on; only the first one does.
    pub(crate) fn announce(&self, window: TimeRange) {
        // The first stays.
        let _ = self.window.set(window);
    }

    /// Ends the window before its time.
    pub(crate) fn end(&self, at_ns: u64) {
        // The first stays.
        let _ = self.end_ns.set(at_ns);
    }

    /// The window that was announced.
    pub(crate) fn window(&self) -> Option<TimeRange> {
        self.window.get().copied()
    }

    /// When the window ended before its time.
    pub(crate) fn ended(&self) -> Option<u64> {
        self.end_ns.get().copied()
    }

    /// Commits of the window that were explained so far; more may wait to be.
    pub(crate) fn commits(&self) -> u64 {
        self.commits.load(Ordering::Relaxed)
    }

    /// Tells how many commits were explained.
    pub(crate) fn count(&self, commits: u64) {
        self.commits.store(commits, Ordering::Relaxed);
    }
}
