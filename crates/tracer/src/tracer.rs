//! A running tracer: the thread that drains the rings, and the one that takes what was in them.

use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread::{self, JoinHandle};

use crate::account::Account;
use crate::detaching::Detaching;
use crate::drain::Drain;
use crate::error::TracerError;
use crate::extent::Extent;
use crate::ring_bytes::RingBytes;
use crate::tracefs;
use crate::watch::Watch;

/// What to trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TracerConfig {
    /// The server's process.
    pub pid: u32,
    /// Size of each CPU's ring.
    pub ring_bytes: RingBytes,
    /// How much.
    pub extent: Extent,
    /// Whether the server's threads serve whatever client has something to do, so that what a client waits for outside
    /// of a commit's function is no thread's.
    pub pools_threads: bool,
}

impl TracerConfig {
    /// Traces a process in the usual detail, with rings that hold half a second of busy CPUs or more, and 64 MiB in
    /// all.
    pub fn new(pid: u32) -> Self {
        Self {
            pid,
            ring_bytes: RingBytes::default(),
            extent: Extent::default(),
            pools_threads: false,
        }
    }
}

/// A tracer at work. Dropping it detaches every probe.
#[derive(Debug)]
pub struct Tracer<S> {
    commands: Sender<Command>,
    thread: JoinHandle<Result<Stopped<S>, TracerError>>,
}

/// What a tracer leaves.
#[derive(Debug)]
pub struct Stopped<S> {
    /// Where the records went.
    pub sink: S,
    /// The account of all of its time.
    pub account: Account,
    /// Its probes, which record nothing any more.
    pub detaching: Detaching,
}

/// Takes the records, on a thread of its own, which runs when the server leaves a CPU idle: what was recorded may be
/// handed on long after.
pub trait Sink: Send + 'static {
    /// The bytes of the next record, in the order of their times.
    fn record(&mut self, bytes: &[u8]);

    /// Records that were made from `from_ns` on and before `until_ns` (nanoseconds of `CLOCK_MONOTONIC`) were lost. Told
    /// before the records of that time that were not.
    fn lost(&mut self, from_ns: u64, until_ns: u64) {
        // Who does not care has the number in the account.
        let _ = (from_ns, until_ns);
    }
}

impl<F: FnMut(&[u8]) + Send + 'static> Sink for F {
    fn record(&mut self, bytes: &[u8]) {
        self(bytes);
    }
}

enum Command {
    Account(Sender<Account>),
    Stop,
}

impl<S: Sink> Tracer<S> {
    /// Attaches the probes to a server and hands every record to `sink`, in the order of their times. Returns when all
    /// probes are attached.
    pub fn start(config: TracerConfig, sink: S) -> Result<Self, TracerError> {
        let (commands, orders) = channel();
        let (ready, started) = channel();
        let thread = thread::Builder::new()
            .name("logtrace-drain".into())
            .spawn(move || run(config, sink, &orders, &ready))
            .map_err(|error| TracerError::Thread(error.to_string()))?;
        match started.recv() {
            Ok(()) => Ok(Self { commands, thread }),
            // The thread ended before it was ready: it has the reason.
            Err(_) => Err(join(thread).err().unwrap_or_else(|| ended("it never started"))),
        }
    }

    /// The account up to now, after the rings were read.
    pub fn account(&self) -> Result<Account, TracerError> {
        let (reply, account) = channel();
        self.commands
            .send(Command::Account(reply))
            .map_err(|_| ended("it ended early"))?;
        account.recv().map_err(|_| ended("it ended early"))
    }

    /// Hands on what is left, begins to detach the probes, and gives the sink back.
    pub fn stop(self) -> Result<Stopped<S>, TracerError> {
        // A thread that already ended has its reason ready.
        let _ = self.commands.send(Command::Stop);
        join(self.thread)
    }
}

fn join<T>(thread: JoinHandle<Result<T, TracerError>>) -> Result<T, TracerError> {
    thread.join().unwrap_or_else(|_| Err(ended("it panicked")))
}

fn ended(how: &str) -> TracerError {
    TracerError::Thread(how.into())
}

fn run<S: Sink>(
    config: TracerConfig,
    sink: S,
    orders: &Receiver<Command>,
    ready: &Sender<()>,
) -> Result<Stopped<S>, TracerError> {
    tracefs::make_visible().map_err(TracerError::Tracefs)?;
    let mut drain = Drain::new(config, sink)?;
    let watch = Watch::over_this_thread();
    // The other side waits for this, or is gone: then the first order is missing and the loop ends.
    let _ = ready.send(());
    loop {
        match orders.recv_timeout(drain.pause()) {
            Err(RecvTimeoutError::Timeout) => drain.round(),
            Ok(Command::Account(reply)) => {
                let _ = reply.send(drain.begin_part());
            }
            Ok(Command::Stop) | Err(RecvTimeoutError::Disconnected) => break,
        }
        watch.round_done();
    }
    drop(watch);
    drain.finish()
}
