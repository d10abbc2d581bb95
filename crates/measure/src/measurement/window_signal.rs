//! Signals between the explaining thread and the rest of the program.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;

use logtrace_attribution::breakdown::Recent;
use logtrace_common::TimeRange;
use logtrace_driver::now_ns;
use tokio::sync::Notify;

/// Time between two looks at the window.
const LOOK_EVERY: Duration = Duration::from_millis(100);

/// Limit on threads that are to be named. More are there only if nobody names them.
const MOST_WANTED: usize = 256;

/// Window of the measurement and progress of the explanation. Times are in nanoseconds of `CLOCK_MONOTONIC`, the clock
/// of the kernel side.
#[derive(Debug, Default)]
pub struct WindowSignal {
    window: OnceLock<TimeRange>,
    end_ns: OnceLock<u64>,
    commits: AtomicU64,
    /// Whether somebody asked for the recent commits.
    is_asked: AtomicBool,
    recent: Mutex<Option<Recent>>,
    /// Threads of the server that are to be named now.
    wanted: Mutex<Vec<u32>>,
    is_wanted: Notify,
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

    /// Returns the measured window, once it has begun.
    pub fn window(&self) -> Option<TimeRange> {
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

    /// Asks the explaining thread for the recent commits.
    pub(crate) fn ask(&self) {
        self.is_asked.store(true, Ordering::Relaxed);
    }

    /// Returns the commits that were explained since the last call, as far as the explaining thread has answered: it does so
    /// with the next record.
    pub(crate) fn answered(&self) -> Recent {
        self.lock().take().unwrap_or_default()
    }

    /// Answers, if somebody asked.
    pub(crate) fn answer(&self, recent: impl FnOnce() -> Recent) {
        if self.is_asked.load(Ordering::Relaxed) {
            self.is_asked.store(false, Ordering::Relaxed);
            let mut answer = self.lock();
            let mut sum = answer.take().unwrap_or_default();
            sum.merge(&recent());
            *answer = Some(sum);
        }
    }

    /// Asks for the names of threads, while they do what makes them stand out.
    pub(crate) fn want(&self, threads: Vec<u32>) {
        if !threads.is_empty() {
            let mut wanted = self.wanted();
            if wanted.len() < MOST_WANTED {
                wanted.extend(threads);
            }
            self.is_wanted.notify_one();
        }
    }

    /// Waits until threads are to be named, and returns them.
    pub(crate) async fn next_wanted(&self) -> Vec<u32> {
        self.is_wanted.notified().await;
        std::mem::take(&mut *self.wanted())
    }

    fn wanted(&self) -> MutexGuard<'_, Vec<u32>> {
        self.wanted.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn lock(&self) -> MutexGuard<'_, Option<Recent>> {
        self.recent.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Sets the number of commits explained so far.
    pub(crate) fn count(&self, commits: u64) {
        self.commits.store(commits, Ordering::Relaxed);
    }
}
