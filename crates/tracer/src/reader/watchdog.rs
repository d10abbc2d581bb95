//! Watchdog of the thread that reads the rings.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use crate::reader::sched_policy::SchedPolicy;

/// Watchdog of the calling thread. The thread runs with low priority as long as it makes progress. A second thread
/// checks the progress, and raises the priority if there is none.
#[derive(Debug)]
pub(crate) struct Watchdog {
    rounds: Arc<AtomicU64>,
    /// Dropped to end the watchdog.
    watched: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

/// Time between two checks. The rings hold half a second of the busiest server.
const LOOK_EVERY: Duration = Duration::from_millis(200);

impl Watchdog {
    /// Starts the watchdog of the calling thread. Without a second thread, the priority stays normal.
    pub(crate) fn of_this_thread() -> Self {
        let policy = SchedPolicy::of_this_thread();
        let rounds = Arc::new(AtomicU64::new(0));
        let (watched, end) = channel();
        let thread = thread::Builder::new().name("logtrace-watch".into()).spawn({
            let rounds = Arc::clone(&rounds);
            move || watch(policy, &rounds, &end)
        });
        Self {
            rounds,
            watched: Some(watched),
            thread: thread.ok(),
        }
    }

    /// Notes that a round was read.
    pub(crate) fn round_done(&self) {
        self.rounds.fetch_add(1, Ordering::Relaxed);
    }
}

impl Drop for Watchdog {
    fn drop(&mut self) {
        self.watched = None;
        if let Some(thread) = self.thread.take() {
            // It has nothing to report, and a panic there was printed.
            let _ = thread.join();
        }
    }
}

fn watch(policy: SchedPolicy, rounds: &AtomicU64, end: &Receiver<()>) {
    let mut seen = rounds.load(Ordering::Relaxed);
    policy.run_when_idle();
    while end.recv_timeout(LOOK_EVERY) == Err(RecvTimeoutError::Timeout) {
        let now = rounds.load(Ordering::Relaxed);
        if now == seen {
            policy.run_beside_others();
        } else {
            policy.run_when_idle();
        }
        seen = now;
    }
    // Nobody waits for a reader that was left behind: what it still has to read is the end of the run.
    policy.run_beside_others();
}
