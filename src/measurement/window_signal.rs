//! Signals between the explaining thread and the rest of the program.

use logtrace_common::TimeRange;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError};
use std::time::Duration;

use logtrace_driver::now_ns;
use logtrace_report::breakdown::Recent;

/// Time between two looks at the window.
const LOOK_EVERY: Duration = Duration::from_millis(100);

/// Longest wait for the recent commits, and the time between two attempts.
const LONGEST_LOOK: Duration = Duration::from_millis(50);
const SHORT: Duration = Duration::from_millis(2);

/// Window of the measurement and progress of the explanation. Times are in nanoseconds of `CLOCK_MONOTONIC`, the clock
/// of the kernel side.
#[derive(Debug, Default)]
pub(crate) struct WindowSignal {
    window: OnceLock<TimeRange>,
    end_ns: OnceLock<u64>,
    commits: AtomicU64,
    /// Whether somebody waits for the recent commits.
    is_looked: AtomicBool,
    recent: Mutex<Option<Recent>>,
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

    /// Returns the commits explained since the last look. The explaining thread answers with the next record: without one for
    /// a while there are none, or their records wait for an idle CPU and come with a later look.
    pub(crate) fn look(&self) -> Recent {
        self.is_looked.store(true, Ordering::Relaxed);
        for _ in 0..LONGEST_LOOK.as_millis() / SHORT.as_millis() {
            if let Some(recent) = self.lock().take() {
                return recent;
            }
            std::thread::sleep(SHORT);
        }
        Recent::default()
    }

    /// Answers a look, if there was one.
    pub(crate) fn answer(&self, recent: impl FnOnce() -> Recent) {
        if self.is_looked.load(Ordering::Relaxed) {
            self.is_looked.store(false, Ordering::Relaxed);
            // A look that was given up left an answer for the next one.
            let mut answer = self.lock();
            let mut sum = answer.take().unwrap_or_default();
            sum.merge(&recent());
            *answer = Some(sum);
        }
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Option<Recent>> {
        self.recent.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Sets the number of commits explained so far.
    pub(crate) fn count(&self, commits: u64) {
        self.commits.store(commits, Ordering::Relaxed);
    }
}
