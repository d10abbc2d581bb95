//! Readings of CPU time while a measurement goes on.

use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use logtrace_common::TimeRange;
use logtrace_driver::now_ns;
use logtrace_report::document::Cpu;
use logtrace_server::process_cpu_ns;
use logtrace_tracer::CpuTimes;

use super::cpu_columns::{CpuSoFar, Of};
use super::window_signal::WindowSignal;

/// Time between two looks before the window is known.
const LOOK_NS: u64 = 100_000_000;

/// Thread that reads the CPU time of a server and of the machine. It ends when it is finished or dropped.
#[derive(Debug)]
pub struct CpuSampler {
    /// End of the window.
    end: Sender<u64>,
    thread: JoinHandle<Option<Cpu>>,
}

impl CpuSampler {
    /// Starts to read for the window that is announced. Returns `None` without a process on this machine, or where no thread can
    /// be started: a measurement is worth more than its CPU time.
    pub(crate) fn start(server: Option<u32>, window: &Arc<WindowSignal>) -> Option<Self> {
        let pid = server?;
        let window = Arc::clone(window);
        let (end, ended) = channel();
        let thread = thread::Builder::new()
            .name("logtrace-cpu".into())
            .spawn(move || sample(pid, &window, &ended));
        Some(Self {
            end,
            thread: thread.ok()?,
        })
    }

    /// Returns the CPU time of the window, which ended at `end_ns`; `None` if the server's process is gone.
    pub(crate) fn finish(self, end_ns: u64) -> Option<Cpu> {
        // The thread returns only after it got this.
        self.end.send(end_ns).ok()?;
        self.thread.join().ok()?
    }
}

/// Counter of CPU time, with its last reading.
struct Counter {
    of: Of,
    last: Reading,
    /// Time of the next reading.
    due_ns: u64,
}

#[derive(Clone, Copy)]
struct Reading {
    at_ns: u64,
    /// CPU time; `None` if it cannot be read.
    cpu_ns: Option<u64>,
}

impl Reading {
    fn now(of: Of, pid: u32) -> Self {
        Self {
            at_ns: now_ns(),
            cpu_ns: match of {
                Of::Server => process_cpu_ns(pid),
                Of::Machine => CpuTimes::now().ran_ns(),
            },
        }
    }
}

impl Counter {
    fn start(of: Of, pid: u32) -> Self {
        Self {
            of,
            last: Reading::now(of, pid),
            due_ns: 0,
        }
    }

    /// Reads it, and adds the time since the last reading.
    fn read(&mut self, pid: u32, so_far: Option<&mut CpuSoFar>) {
        let now = Reading::now(self.of, pid);
        if let (Some(so_far), Some(before), Some(after)) = (so_far, self.last.cpu_ns, now.cpu_ns) {
            let interval = TimeRange::new(self.last.at_ns, now.at_ns);
            // The kernel may count back by a tick.
            so_far.add(self.of, interval, after.saturating_sub(before));
        }
        // A counter that failed once misses time, and stays unknown.
        let cpu_ns = now.cpu_ns.filter(|_| self.last.cpu_ns.is_some());
        self.last = Reading { cpu_ns, ..now };
    }
}

/// Reads until the end of the window comes, which it returns the time of; `None` if nobody wants it any more, or if the server is
/// gone.
fn sample(pid: u32, window: &WindowSignal, ended: &Receiver<u64>) -> Option<Cpu> {
    let mut counters = [Of::Server, Of::Machine].map(|of| Counter::start(of, pid));
    let mut so_far: Option<CpuSoFar> = None;
    loop {
        let due_ns = counters.iter().map(|counter| counter.due_ns).min()?;
        let end = match ended.recv_timeout(Duration::from_nanos(due_ns.saturating_sub(now_ns()))) {
            Ok(end_ns) => Some(end_ns),
            Err(RecvTimeoutError::Timeout) => None,
            Err(RecvTimeoutError::Disconnected) => return None,
        };
        if so_far.is_none() {
            so_far = window.window().map(CpuSoFar::new);
        }
        for counter in &mut counters {
            if end.is_some() || counter.due_ns <= now_ns() {
                counter.read(pid, so_far.as_mut());
                counter.due_ns = next_ns(so_far.as_ref(), window, counter);
            }
        }
        if let Some(end_ns) = end {
            let [server, machine] = counters.map(|counter| counter.last.cpu_ns.is_some());
            return so_far
                .filter(|_| server)
                .map(|so_far| so_far.finish(end_ns, machine));
        }
    }
}

/// Returns when to read a counter again: never after the window.
fn next_ns(so_far: Option<&CpuSoFar>, window: &WindowSignal, counter: &Counter) -> u64 {
    let at_ns = counter.last.at_ns;
    match so_far.zip(window.window()) {
        None => at_ns + LOOK_NS,
        Some((_, window)) if at_ns >= window.end_ns => u64::MAX,
        Some((so_far, _)) => so_far.next_ns(counter.of, at_ns),
    }
}
