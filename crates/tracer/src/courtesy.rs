//! The reader's place in the scheduler.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use rustix::process::setpriority_process;
use rustix::thread::{Pid, gettid};

/// The reader stands back for the server's threads as long as there is CPU time that nobody else wants.
///
/// A leader that has to wait for a CPU holds up its whole group, and a thread that wakes on the CPU of another one of
/// normal policy may wait for the rest of that one's slice: milliseconds. A thread of policy `SCHED_IDLE` gives way
/// at once (kernel/sched/fair.c, `wakeup_preempt_fair`), and a CPU that runs nothing else is taken for idle. But
/// where the server leaves no CPU idle such a thread hardly ever runs, and cannot help itself: a second thread, which
/// does nothing else, looks whether it gets on.
#[derive(Debug)]
pub(crate) struct Courtesy {
    rounds: Arc<AtomicU64>,
    /// Dropped to end the watch.
    watched: Option<Sender<()>>,
    watch: Option<JoinHandle<()>>,
}

/// How often the watch looks. The ring holds two seconds of the busiest server.
const LOOK_EVERY: Duration = Duration::from_millis(200);

/// A tenth of a server thread's weight (kernel/sched/core.c, `sched_prio_to_weight`), once the reader has to insist:
/// enough, as it needs some 3 % of a CPU at the highest rates.
const NICE: i32 = 10;

impl Courtesy {
    /// For the calling thread. Where the kernel or the system refuses, the reader is as any other thread.
    pub(crate) fn of_this_thread() -> Self {
        let _ = setpriority_process(None, NICE);
        let rounds = Arc::new(AtomicU64::new(0));
        let (watched, end) = channel();
        let watch = thread::Builder::new().name("logtrace-watch".into()).spawn({
            let rounds = Arc::clone(&rounds);
            let reader = gettid();
            move || watch(reader, &rounds, &end)
        });
        Self {
            rounds,
            watched: Some(watched),
            watch: watch.ok(),
        }
    }

    /// Says that everything up to now was read.
    pub(crate) fn round_done(&self) {
        self.rounds.fetch_add(1, Ordering::Relaxed);
    }
}

impl Drop for Courtesy {
    fn drop(&mut self) {
        self.watched = None;
        if let Some(watch) = self.watch.take() {
            // It has nothing to report, and a panic there was printed.
            let _ = watch.join();
        }
    }
}

fn watch(reader: Pid, rounds: &AtomicU64, end: &Receiver<()>) {
    let mut seen = rounds.load(Ordering::Relaxed);
    let mut gets_on = true;
    while set_policy(
        reader,
        if gets_on {
            libc::SCHED_IDLE
        } else {
            libc::SCHED_BATCH
        },
    )
    .is_ok()
        && end.recv_timeout(LOOK_EVERY) == Err(RecvTimeoutError::Timeout)
    {
        let now = rounds.load(Ordering::Relaxed);
        gets_on = now != seen;
        seen = now;
    }
    // Nobody waits for a reader that was left behind: what it still has to read is the end of the run.
    let _ = set_policy(reader, libc::SCHED_BATCH);
}

fn set_policy(thread: Pid, policy: libc::c_int) -> io::Result<()> {
    let parameters = libc::sched_param { sched_priority: 0 };
    #[expect(unsafe_code, reason = "rustix has no call for it")]
    // SAFETY: the parameters live until the call returns; a thread that is gone is an error.
    let done =
        unsafe { libc::sched_setscheduler(thread.as_raw_nonzero().get(), policy, &raw const parameters) };
    match done {
        0 => Ok(()),
        _ => Err(io::Error::last_os_error()),
    }
}
