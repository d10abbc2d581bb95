//! Sees to it that the thread that reads the rings gets on.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use crate::reader::sched_policy::Courtesy;

/// The calling thread stands back for the server as long as it gets on: a second thread, which does nothing else, looks
/// whether it does.
#[derive(Debug)]
pub(crate) struct Watch {
    rounds: Arc<AtomicU64>,
    /// Dropped to end the watch.
    watched: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

/// How often it looks. The rings hold half a second of the busiest server.
const LOOK_EVERY: Duration = Duration::from_millis(200);

impl Watch {
    /// Over the calling thread. Where no thread can be had for it, the calling thread stands back for nobody.
    pub(crate) fn over_this_thread() -> Self {
        let courtesy = Courtesy::of_this_thread();
        let rounds = Arc::new(AtomicU64::new(0));
        let (watched, end) = channel();
        let thread = thread::Builder::new().name("logtrace-watch".into()).spawn({
            let rounds = Arc::clone(&rounds);
            move || watch(courtesy, &rounds, &end)
        });
        Self {
            rounds,
            watched: Some(watched),
            thread: thread.ok(),
        }
    }

    /// Says that everything up to now was read.
    pub(crate) fn round_done(&self) {
        self.rounds.fetch_add(1, Ordering::Relaxed);
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        self.watched = None;
        if let Some(thread) = self.thread.take() {
            // It has nothing to report, and a panic there was printed.
            let _ = thread.join();
        }
    }
}

fn watch(courtesy: Courtesy, rounds: &AtomicU64, end: &Receiver<()>) {
    let mut seen = rounds.load(Ordering::Relaxed);
    courtesy.stand_back();
    while end.recv_timeout(LOOK_EVERY) == Err(RecvTimeoutError::Timeout) {
        let now = rounds.load(Ordering::Relaxed);
        if now == seen {
            courtesy.insist();
        } else {
            courtesy.stand_back();
        }
        seen = now;
    }
    // Nobody waits for a reader that was left behind: what it still has to read is the end of the run.
    courtesy.insist();
}
