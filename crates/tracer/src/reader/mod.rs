//! Reader of the rings, round by round.

mod burst_schedule;
mod calibrating;
mod call_counting;
mod giving_up;
mod loader;
mod merge;
mod rings;
mod round_length;
mod sched_policy;
mod sink_thread;
mod thread_states;
pub(crate) mod watchdog;

use std::sync::Arc;
use std::time::{Duration, Instant};

use aya::maps::{Array, MapData, MapError, PerCpuArray};
use logtrace_common::{Detail, TimeRange};
use logtrace_events::{Losses, Record, encoded};
use rustix::time::ClockId;

use crate::clock::clock_ns;
use crate::config::{Extent, TracerConfig};
use crate::error::TracerError;
use crate::kernel_side::KernelSide;
use crate::kernel_side::reasons::reason;
use crate::overhead::calibration::Calibration;
use crate::overhead::cpu_times::CpuTimes;
use crate::overhead::misses::misses;
use crate::overhead::program_runs::{Runs, RunsOnCpu};
use crate::overhead::{Account, Delivered, ProbeAccount};
use crate::probes::Attachments;
use crate::probes::detaching::Detaching;
use crate::probes::moved_code::MovedCode;
use crate::reader::burst_schedule::Rhythm;
use crate::reader::calibrating::Calibrating;
use crate::reader::call_counting::CallCounting;
use crate::reader::rings::Rings;
use crate::reader::round_length::RoundLength;
use crate::reader::sink_thread::Delivery;
use crate::reader::thread_states::ThreadStates;
use crate::sink::Sink;
use crate::stacks::StackNames;
use crate::stacks::kernel_frames::KernelFrames;
use crate::stacks::kernel_symbols::KernelSymbols;
use crate::stacks::server_code::ServerCode;
use crate::stacks::server_frames::ServerFrames;

/// Time until a record is surely complete. It is made some 0.1 us after its time was taken, but its thread may be
/// interrupted in between.
const SETTLING: Duration = Duration::from_millis(2);

/// Time between two looks for CPUs that have come online.
const CPUS_EVERY: Duration = Duration::from_secs(1);

/// `enum loss` in bpf/state.h.
const LOSS_RING_FULL: u32 = 0;
const LOSS_THREADS_FULL: u32 = 1;
const LOSS_COMMIT_UNMATCHED: u32 = 2;
const LOSS_MEMBER_UNMATCHED: u32 = 3;

/// Time at the beginning of a burst in which commits do not count yet. A wait at the beginning of a burst began before
/// it, and the threads that others wait for must be seen first.
const LEAD_IN: Duration = Duration::from_millis(10);

/// Loaded programs with their rings, and the thread of the sink.
pub(crate) struct Drain<S> {
    side: KernelSide,
    attachments: Attachments,
    rings: Rings,
    round_length: RoundLength,
    losses: PerCpuArray<MapData, u64>,
    /// Time since when the probes trace; 0 while they do nothing.
    looking: Array<MapData, u64>,
    threads: ThreadStates,
    probes: Vec<ProbeAccount>,
    program_runs: PerCpuArray<MapData, RunsOnCpu>,
    /// Counter of system calls, or `None` if none is traced: then nothing slows them down.
    call_counting: Option<CallCounting>,
    calibration: Calibration,
    events: u64,
    /// Number of records lost up to the last look at the rings, and the time of that look.
    lost: u64,
    looked_ns: u64,
    /// Time of the next look for CPUs that have come online.
    cpus_at: Instant,
    moved_code: MovedCode,
    delivery: Delivery<S>,
    /// Bursts and gaps, or `None` if all the time is traced.
    rhythm: Option<Rhythm>,
    /// Reason why the trace is worth nothing, if it is.
    failed: Option<TracerError>,
}

/// Results of a stopped tracer.
#[derive(Debug)]
pub struct Stopped<S> {
    /// Sink.
    pub sink: S,
    /// Account of the whole trace.
    pub account: Account,
    /// Probes that are being detached.
    pub detaching: Detaching,
}

impl<S: Sink> Drain<S> {
    /// Attaches the probes.
    pub(crate) fn new(config: &TracerConfig, sink: S) -> Result<Self, TracerError> {
        let Extent { detail, sampling } = config.extent;
        // Reading names takes a tenth of a second, in which rings would fill, once the probes are attached.
        let code = ServerCode::read(&config.process, detail);
        let (mut side, mut attachments) = loader::load(config, code.unwind)?;
        // The types of the kernel have gone: the peak of memory has not both.
        let kernel_symbols = KernelSymbols::read();
        let (calibrating, links) = Calibrating::begin(&mut side);
        let probes = attachments.attach(&mut side, |_| true)?;
        let moved_code = attachments.watch_code();
        let calibration = calibrating.end(&mut side, detail, attachments.trace_all_calls());
        links.into_iter().for_each(|link| attachments.add(link));
        // Until the probes look, they need no ring: the peak of memory has not the buffer of the calibration, too.
        let rings = Rings::new(&mut side, config.ring_bytes.get())?;
        let is_slowed_unseen = detail >= Detail::Io && !attachments.trace_all_calls();
        let mut looking = side.take("looking")?;
        set_looking(&mut looking, true).map_err(|error| TracerError::load(reason(&error)))?;
        let losses = side.take("losses")?;
        let program_runs = side.take("program_runs")?;
        let threads = ThreadStates::new(Arc::clone(&config.process), side.take("threads")?);
        let stacks = StackNames::new(
            KernelFrames::new(side.take("stacks")?, kernel_symbols),
            ServerFrames::new(side.take("server_stacks")?, code.names),
        );
        // The thread of the sink inherits what is left.
        giving_up::give_up(&mut side, &looking, sampling.has_gaps());
        Ok(Self {
            side,
            attachments,
            rings,
            round_length: RoundLength::new(config.ring_bytes.get()),
            losses,
            looking,
            threads,
            probes,
            program_runs,
            call_counting: is_slowed_unseen.then(CallCounting::default),
            calibration,
            events: 0,
            lost: 0,
            looked_ns: clock_ns(ClockId::Monotonic),
            cpus_at: Instant::now() + CPUS_EVERY,
            moved_code,
            delivery: Delivery::start(sink, stacks, config.patience)?,
            rhythm: sampling.has_gaps().then(|| Rhythm::new(sampling)),
            failed: None,
        })
    }

    /// Returns the time until the next round.
    pub(crate) fn pause(&self) -> Duration {
        let left = self.rhythm.as_ref().map(Rhythm::left);
        let length = self.round_length.get();
        left.map_or(length, |left| left.min(length))
    }

    /// Reads the rings once, and starts or ends a burst if it is time.
    pub(crate) fn round(&mut self) {
        self.drain_settled();
        if Instant::now() >= self.cpus_at {
            self.cpus_at = Instant::now() + CPUS_EVERY;
            // Without a ring the records of that CPU are lost, and counted.
            let _ = self.rings.add_missing();
            self.moved_code.look_again();
        }
        match self.rhythm.as_ref().map(|rhythm| (rhythm.gap_ns, rhythm.left())) {
            Some((Some(start_ns), Duration::ZERO)) => self.begin_burst(start_ns),
            Some((Some(_), _)) => {}
            Some((None, Duration::ZERO)) => self.begin_gap(),
            Some((None, _)) | None => {
                if let Some(counting) = &mut self.call_counting {
                    counting.round_done(&mut self.side);
                }
            }
        }
    }

    /// Returns the account so far. A later account can be compared with it.
    pub(crate) fn begin_part(&mut self) -> Account {
        self.drain_settled();
        // However short it is, something of it is traced.
        match self.rhythm.as_mut().map(|rhythm| (rhythm.gap_ns, rhythm)) {
            Some((Some(start_ns), _)) => self.begin_burst(start_ns),
            Some((None, rhythm)) => rhythm.until = Instant::now() + rhythm.burst(),
            None => {}
        }
        let account = self.account(self.delivery.delivered());
        if let Some(counting) = &mut self.call_counting {
            counting.begin(&mut self.side);
        }
        account
    }

    /// Returns the number of commits under way that began before `before_ns`; 0 if only bursts are traced, because a gap
    /// hides the ends of commits.
    pub(crate) fn commits_begun(&self, before_ns: u64) -> usize {
        match self.rhythm {
            Some(_) => 0,
            None => self.threads.commits_begun(before_ns),
        }
    }

    /// Reads the remaining records and begins to detach the probes. Waits for the sink meanwhile.
    pub(crate) fn finish(mut self) -> Result<Stopped<S>, TracerError> {
        let _ = set_looking(&mut self.looking, false);
        let end_ns = clock_ns(ClockId::Monotonic);
        // The programs still run, and find nothing to do: that is none of the trace.
        let at_end = self.account(Delivered::default());
        self.drain(u64::MAX);
        match self.rhythm.as_ref().and_then(|rhythm| rhythm.gap_ns) {
            Some(start_ns) => self.tell_gap(start_ns, clock_ns(ClockId::Monotonic)),
            None => self.tell_waits(end_ns),
        }
        let account = Account {
            programs: at_end.programs,
            at_ns: at_end.at_ns,
            calls_counted_ns: at_end.calls_counted_ns,
            ..self.account(Delivered::default())
        };
        let Self {
            attachments,
            delivery,
            failed,
            ..
        } = self;
        let detaching = Detaching::begin(attachments);
        let (sink, delivered) = delivery.finish()?;
        if let Some(failed) = failed {
            return Err(failed);
        }
        Ok(Stopped {
            sink,
            account: Account { delivered, ..account },
            detaching,
        })
    }

    /// Attaches the probes again. If that fails, the server has ended, and the gap continues; or it runs another program, and
    /// the trace has failed.
    fn begin_burst(&mut self, start_ns: u64) {
        let begun = self.look_again();
        let Some(rhythm) = &mut self.rhythm else { return };
        if begun {
            rhythm.gap_ns = None;
            rhythm.until = Instant::now() + rhythm.burst();
            self.tell_gap(start_ns, clock_ns(ClockId::Monotonic) + nanoseconds(LEAD_IN));
        } else {
            rhythm.until = Instant::now() + rhythm.gap();
            self.failed = self.attachments.executed();
        }
    }

    /// Attaches the probes and enables them all at once.
    fn look_again(&mut self) -> bool {
        self.attachments.resume(&mut self.side).is_ok()
            && self.threads.clear().is_ok()
            && set_looking(&mut self.looking, true).is_ok()
    }

    fn begin_gap(&mut self) {
        let began = Instant::now();
        // This map is an array: it takes every value.
        let _ = set_looking(&mut self.looking, false);
        let gap_ns = clock_ns(ClockId::Monotonic);
        self.threads.note();
        self.attachments.suspend();
        self.drain(u64::MAX);
        if let Some(rhythm) = &mut self.rhythm {
            rhythm.gap_ns = Some(gap_ns);
            rhythm.until = began + rhythm.gap();
        }
    }

    fn tell_gap(&mut self, start_ns: u64, end_ns: u64) {
        self.tell([Record::Gap(TimeRange::new(start_ns, end_ns))]);
    }

    /// Tells the sink the waits that are under way at the end.
    fn tell_waits(&mut self, end_ns: u64) {
        let waits: Vec<Record> = self.threads.waits(end_ns).map(Record::OffCpu).collect();
        self.tell(waits);
    }

    fn tell(&mut self, told: impl IntoIterator<Item = Record>) {
        let mut records = self.delivery.spare();
        for record in told {
            records.push(&encoded(&record));
        }
        self.events += records.len();
        self.delivery.push(records);
    }

    fn drain(&mut self, until_ns: u64) {
        let records = self.rings.take_due(until_ns, self.delivery.spare());
        let since_ns = self.looked_ns;
        self.tell_losses();
        let time = Duration::from_nanos(self.looked_ns - since_ns);
        self.round_length.adjust(records.bytes(), time);
        self.events += records.len();
        self.delivery.push(records);
    }

    /// Tells the sink between which two looks at the rings records were lost. A lost record may be as old as one that
    /// has not arrived yet.
    fn tell_losses(&mut self) {
        let now_ns = clock_ns(ClockId::Monotonic);
        let lost = self.lost(LOSS_RING_FULL) + self.lost(LOSS_THREADS_FULL);
        if lost > self.lost {
            let until_ns = clock_ns(ClockId::Monotonic);
            self.delivery
                .push_lost(self.looked_ns.saturating_sub(nanoseconds(SETTLING)), until_ns);
        }
        (self.lost, self.looked_ns) = (lost, now_ns);
    }

    /// Reads all records except those that programs may still be writing.
    fn drain_settled(&mut self) {
        if !self.delivery.is_full() {
            self.drain(clock_ns(ClockId::Monotonic).saturating_sub(nanoseconds(SETTLING)));
        }
    }

    fn account(&self, delivered: Delivered) -> Account {
        let mut account = Account {
            events: self.events,
            losses: Losses {
                lost: self.lost(LOSS_RING_FULL) + self.lost(LOSS_THREADS_FULL) + self.rings.late,
                unmatched: self.lost(LOSS_COMMIT_UNMATCHED) + self.lost(LOSS_MEMBER_UNMATCHED),
                ..Losses::default()
            },
            probes: self.probes.clone(),
            moved_probes: self.moved_code.probes().to_vec(),
            drain_cpu_ns: clock_ns(ClockId::ThreadCPUTime),
            delivered,
            cpu_times: CpuTimes::now(),
            programs: Runs::of_all(&self.program_runs),
            at_ns: clock_ns(ClockId::Monotonic),
            calls_counted_ns: self.call_counting.as_ref().map_or(0, CallCounting::counted_ns),
            calibration: self.calibration,
        };
        let programs = self.side.programs();
        account.losses.lost += programs.map(misses).sum::<u64>();
        account
    }

    /// Returns a count of `enum loss`, summed over all CPUs.
    fn lost(&self, why: u32) -> u64 {
        self.losses.get(&why, 0).map_or(0, |cpus| cpus.iter().sum())
    }
}

fn set_looking(looking: &mut Array<MapData, u64>, value: bool) -> Result<(), MapError> {
    let since_ns = if value { clock_ns(ClockId::Monotonic) } else { 0 };
    looking.set(0, &since_ns, 0)
}

fn nanoseconds(duration: Duration) -> u64 {
    u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX)
}
