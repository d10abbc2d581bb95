//! Watchdog of the thread that reads the rings.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use rustix::time::ClockId;

use crate::clock::clock_ns;
use crate::reader::sched_policy::SchedPolicy;

/// Watchdog of the calling thread. The thread runs with low priority as long as it makes progress. A second thread
/// checks the progress, and raises the priority if there is none.
#[derive(Debug)]
pub(crate) struct Watchdog {
    /// Time at which the next round is due (`CLOCK_MONOTONIC`).
    due_ns: Arc<AtomicU64>,
    /// Dropped to end the watchdog.
    watched: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

/// Time between two checks. The rings hold half a second of the busiest server.
const LOOK_EVERY: Duration = Duration::from_millis(200);

/// Time that a round may be late. A busy server often leaves no CPU idle for a tenth of a second, and what the reader
/// then takes from it delays commits.
const LATE_NS: u64 = 150_000_000;

impl Watchdog {
    /// Starts the watchdog of the calling thread. Without a second thread, the priority stays normal.
    pub(crate) fn of_this_thread() -> Self {
        let policy = SchedPolicy::of_this_thread();
        let due_ns = Arc::new(AtomicU64::new(u64::MAX));
        let (watched, end) = channel();
        let thread = thread::Builder::new().name("logtrace-watch".into()).spawn({
            let due_ns = Arc::clone(&due_ns);
            move || watch(policy, &due_ns, &end)
        });
        Self {
            due_ns,
            watched: Some(watched),
            thread: thread.ok(),
        }
    }

    /// Notes that the next round is due after `pause`.
    pub(crate) fn expect_round(&self, pause: Duration) {
        let pause_ns = u64::try_from(pause.as_nanos()).unwrap_or(u64::MAX);
        let due_ns = clock_ns(ClockId::Monotonic).saturating_add(pause_ns);
        self.due_ns.store(due_ns, Ordering::Relaxed);
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

fn watch(policy: SchedPolicy, due_ns: &AtomicU64, end: &Receiver<()>) {
    policy.run_when_idle();
    while end.recv_timeout(LOOK_EVERY) == Err(RecvTimeoutError::Timeout) {
        let late_from_ns = due_ns.load(Ordering::Relaxed).saturating_add(LATE_NS);
        if clock_ns(ClockId::Monotonic) > late_from_ns {
            policy.run_beside_others();
        } else {
            policy.run_when_idle();
        }
    }
    // Nobody waits for a reader that was left behind: what it still has to read is the end of the run.
    policy.run_beside_others();
}
