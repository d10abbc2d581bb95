//! Running tracer: the thread that reads the rings, and the thread of the sink.

use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread::{self, JoinHandle};

use crate::config::TracerConfig;
use crate::error::TracerError;
use crate::overhead::Account;
use crate::reader::watchdog::Watchdog;
use crate::reader::{Drain, Stopped};
use crate::sink::Sink;
use crate::surroundings::{check_lockdown, check_pid_namespace};
use crate::tracefs;

/// Running tracer. Dropping it detaches all probes.
#[derive(Debug)]
pub struct Tracer<S> {
    commands: Sender<ReaderCommand>,
    thread: JoinHandle<Result<Stopped<S>, TracerError>>,
}

enum ReaderCommand {
    Account(Sender<Account>),
    CommitsBegun(u64, Sender<usize>),
    Stop,
}

impl<S: Sink> Tracer<S> {
    /// Attaches the probes to a server. Passes all records to `sink`, in the order of time. Returns when all probes are
    /// attached.
    pub fn start(config: TracerConfig, sink: S) -> Result<Self, TracerError> {
        let (commands, orders) = channel();
        let (ready, started) = channel();
        let thread = thread::Builder::new()
            .name("logtrace-drain".into())
            .spawn(move || run(&config, sink, &orders, &ready))
            .map_err(TracerError::thread)?;
        match started.recv() {
            Ok(()) => Ok(Self { commands, thread }),
            // The thread ended before it was ready, and has the reason.
            Err(_) => Err(join(thread)
                .err()
                .unwrap_or_else(|| TracerError::thread("it never started"))),
        }
    }

    /// Reads the rings and returns the account so far.
    pub fn account(&self) -> Result<Account, TracerError> {
        let (reply, account) = channel();
        self.commands
            .send(ReaderCommand::Account(reply))
            .map_err(|_| TracerError::thread("it ended early"))?;
        account.recv().map_err(|_| TracerError::thread("it ended early"))
    }

    /// Returns the number of commits under way that began before `before_ns` (`CLOCK_MONOTONIC`); 0 if only bursts are
    /// traced.
    pub fn commits_begun(&self, before_ns: u64) -> Result<usize, TracerError> {
        let (reply, count) = channel();
        self.commands
            .send(ReaderCommand::CommitsBegun(before_ns, reply))
            .map_err(|_| TracerError::thread("it ended early"))?;
        count.recv().map_err(|_| TracerError::thread("it ended early"))
    }

    /// Passes on the remaining records, begins to detach the probes, and returns the sink.
    pub fn stop(self) -> Result<Stopped<S>, TracerError> {
        // A thread that already ended has its reason ready.
        let _ = self.commands.send(ReaderCommand::Stop);
        join(self.thread)
    }
}

fn join<T>(thread: JoinHandle<Result<T, TracerError>>) -> Result<T, TracerError> {
    thread
        .join()
        .unwrap_or_else(|_| Err(TracerError::thread("it panicked")))
}

fn run<S: Sink>(
    config: &TracerConfig,
    sink: S,
    orders: &Receiver<ReaderCommand>,
    ready: &Sender<()>,
) -> Result<Stopped<S>, TracerError> {
    check_pid_namespace()?;
    check_lockdown()?;
    // Without it the tracepoints of all system calls take the place of those of single ones.
    let _ = tracefs::make_visible();
    let mut drain = Drain::new(config, sink)?;
    let watch = Watchdog::of_this_thread();
    // The other side waits for this, or is gone: then the first order is missing and the loop ends.
    let _ = ready.send(());
    loop {
        let pause = drain.pause();
        watch.expect_round(pause);
        match orders.recv_timeout(pause) {
            Err(RecvTimeoutError::Timeout) => drain.round(),
            Ok(ReaderCommand::Account(reply)) => {
                let _ = reply.send(drain.begin_part());
            }
            Ok(ReaderCommand::CommitsBegun(before_ns, reply)) => {
                let _ = reply.send(drain.commits_begun(before_ns));
            }
            Ok(ReaderCommand::Stop) | Err(RecvTimeoutError::Disconnected) => break,
        }
    }
    drop(watch);
    drain.finish()
}
