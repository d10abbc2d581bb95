//! A running tracer: the thread that drains the rings, and the one that takes what was in them.

use std::num::NonZeroU32;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use aya::Ebpf;
use aya::maps::{MapData, PerCpuArray, StackTraceMap};
use logtrace_events::Losses;
use rustix::time::ClockId;

use crate::account::{Account, ProbeAccount};
use crate::clock::clock_ns;
use crate::delivery::{Delivered, Delivery};
use crate::detail::Detail;
use crate::error::TracerError;
use crate::loader;
use crate::ring_bytes::RingBytes;
use crate::rings::Rings;
use crate::stacks::Stacks;
use crate::statistics::{self, Statistics};
use crate::tracefs;
use crate::watch::Watch;

/// How often the rings are looked at. Long enough that the reader costs little, short enough that they are never near
/// their end: 4 MiB hold about 65,000 records of one CPU.
const DRAIN_EVERY: Duration = Duration::from_millis(50);

/// A record is made some 0.1 us after its time was taken, but its thread may be interrupted in between.
const SETTLING_NS: u64 = 2_000_000;

/// `enum loss` in bpf/state.h.
const LOSS_RING_FULL: u32 = 0;
const LOSS_THREADS_FULL: u32 = 1;
const LOSS_COMMIT_UNMATCHED: u32 = 2;

/// What to trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TracerConfig {
    /// The server's process.
    pub pid: u32,
    /// Size of each CPU's ring.
    pub ring_bytes: RingBytes,
    /// How much.
    pub detail: Detail,
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
            detail: Detail::default(),
            pools_threads: false,
        }
    }
}

/// A tracer at work. Dropping it detaches every probe.
#[derive(Debug)]
pub struct Tracer<S> {
    commands: Sender<Command>,
    thread: JoinHandle<Result<(S, Account), TracerError>>,
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

    /// Hands on what is left, detaches the probes, and gives the sink back.
    pub fn stop(self) -> Result<(S, Account), TracerError> {
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
) -> Result<(S, Account), TracerError> {
    tracefs::make_visible().map_err(TracerError::Tracefs)?;
    let mut drain = Drain::new(config, sink)?;
    let watch = Watch::over_this_thread();
    // The other side waits for this, or is gone: then the first order is missing and the loop ends.
    let _ = ready.send(());
    loop {
        match orders.recv_timeout(DRAIN_EVERY) {
            Err(RecvTimeoutError::Timeout) => {
                drain.drain_settled();
                drain.statistics.round_done(drain.events);
            }
            Ok(Command::Account(reply)) => {
                drain.drain_settled();
                let _ = reply.send(drain.account(drain.delivery.delivered()));
                drain.statistics.begin_part(drain.events);
            }
            Ok(Command::Stop) | Err(RecvTimeoutError::Disconnected) => break,
        }
        watch.round_done();
    }
    drop(watch);
    drain.finish()
}

struct Drain<S> {
    bpf: Ebpf,
    rings: Rings,
    losses: PerCpuArray<MapData, u64>,
    probes: Vec<ProbeAccount>,
    statistics: Statistics,
    events: u64,
    /// Records that were lost up to the last look at the rings, and when that was.
    lost: u64,
    looked_ns: u64,
    delivery: Delivery<S>,
}

impl<S: Sink> Drain<S> {
    fn new(config: TracerConfig, sink: S) -> Result<Self, TracerError> {
        let pid = NonZeroU32::new(config.pid).ok_or_else(|| TracerError::Load("process 0".into()))?;
        let statistics = Statistics::start();
        let (mut bpf, rings, probes) = loader::load(pid, &config)?;
        let losses = PerCpuArray::try_from(take(&mut bpf, "losses")?).map_err(|error| refused(&error))?;
        let stacks =
            Stacks::new(StackTraceMap::try_from(take(&mut bpf, "stacks")?).map_err(|error| refused(&error))?);
        Ok(Self {
            bpf,
            rings,
            losses,
            probes,
            statistics,
            events: 0,
            lost: 0,
            looked_ns: clock_ns(ClockId::Monotonic),
            delivery: Delivery::start(sink, stacks)?,
        })
    }

    fn drain(&mut self, until_ns: u64) {
        let records = self.rings.take_due(until_ns, self.delivery.spare());
        self.tell_losses();
        self.events += records.len();
        self.delivery.push(records);
    }

    /// Tells between which two looks at the rings records were lost. The one that was lost may be as old as one that is
    /// not there yet.
    fn tell_losses(&mut self) {
        let now_ns = clock_ns(ClockId::Monotonic);
        let lost = self.lost(LOSS_RING_FULL) + self.lost(LOSS_THREADS_FULL);
        if lost > self.lost {
            let until_ns = clock_ns(ClockId::Monotonic);
            self.delivery
                .push_lost(self.looked_ns.saturating_sub(SETTLING_NS), until_ns);
        }
        (self.lost, self.looked_ns) = (lost, now_ns);
    }

    /// Everything but what programs may still be at work on.
    fn drain_settled(&mut self) {
        if !self.delivery.is_full() {
            self.drain(clock_ns(ClockId::Monotonic).saturating_sub(SETTLING_NS));
        }
    }

    /// Reads what is left and detaches the probes; the sink is waited for when they no longer disturb anybody.
    fn finish(mut self) -> Result<(S, Account), TracerError> {
        self.drain(u64::MAX);
        let account = self.account(Delivered::default());
        let Self { bpf, delivery, .. } = self;
        drop(bpf);
        let (sink, delivered) = delivery.finish()?;
        Ok((sink, Account { delivered, ..account }))
    }

    fn account(&self, delivered: Delivered) -> Account {
        let mut account = Account {
            events: self.events,
            losses: Losses {
                lost: self.lost(LOSS_RING_FULL) + self.lost(LOSS_THREADS_FULL),
                unmatched: self.lost(LOSS_COMMIT_UNMATCHED),
                ..Losses::default()
            },
            probes: self.probes.clone(),
            drain_cpu_ns: clock_ns(ClockId::ThreadCPUTime),
            delivered,
            sampled: self.statistics.sampled(self.events),
            ..Account::default()
        };
        for (name, program) in self.bpf.programs() {
            let (runs, ns) = statistics::of_program(program);
            account.sampled_ns += ns;
            for probe in account.probes.iter_mut().filter(|probe| probe.program == name) {
                (probe.sampled_runs, probe.sampled_ns) = (runs, ns);
            }
        }
        account
    }

    /// A count of `enum loss`, over all CPUs.
    fn lost(&self, why: u32) -> u64 {
        self.losses.get(&why, 0).map_or(0, |counts| counts.iter().sum())
    }
}

fn take(bpf: &mut Ebpf, map: &'static str) -> Result<aya::maps::Map, TracerError> {
    bpf.take_map(map)
        .ok_or_else(|| TracerError::Load(format!("no map {map} in the object")))
}

fn refused(error: &aya::maps::MapError) -> TracerError {
    TracerError::Load(error.to_string())
}
