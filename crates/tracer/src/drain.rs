//! The rings' reader: what it has to do in each round.

use std::num::NonZeroU32;

use aya::Ebpf;
use aya::maps::{MapData, PerCpuArray, StackTraceMap};
use logtrace_events::Losses;
use rustix::time::ClockId;

use crate::account::{Account, ProbeAccount};
use crate::clock::clock_ns;
use crate::delivery::{Delivered, Delivery};
use crate::error::TracerError;
use crate::loader;
use crate::rings::Rings;
use crate::stacks::Stacks;
use crate::statistics::{self, Statistics};
use crate::tracer::{Sink, TracerConfig};

/// A record is made some 0.1 us after its time was taken, but its thread may be interrupted in between.
const SETTLING_NS: u64 = 2_000_000;

/// The programs with their rings, and where what is in these goes.
pub(crate) struct Drain<S> {
    bpf: Ebpf,
    rings: Rings,
    losses: PerCpuArray<MapData, u64>,
    probes: Vec<ProbeAccount>,
    statistics: Statistics,
    events: u64,
    delivery: Delivery<S>,
}

impl<S: Sink> Drain<S> {
    /// Attaches the probes.
    pub(crate) fn new(config: TracerConfig, sink: S) -> Result<Self, TracerError> {
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
            delivery: Delivery::start(sink, stacks)?,
        })
    }

    /// A round of the reader.
    pub(crate) fn round(&mut self) {
        self.drain_settled();
        self.statistics.round_done(self.events);
    }

    /// The account up to now; what comes next is to be told from it.
    pub(crate) fn begin_part(&mut self) -> Account {
        self.drain_settled();
        let account = self.account(self.delivery.delivered());
        self.statistics.begin_part(self.events);
        account
    }

    fn drain(&mut self, until_ns: u64) {
        let records = self.rings.take_due(until_ns, self.delivery.spare());
        self.events += records.len();
        self.delivery.push(records);
    }

    /// Everything but what programs may still be at work on.
    fn drain_settled(&mut self) {
        if !self.delivery.is_full() {
            self.drain(clock_ns(ClockId::Monotonic).saturating_sub(SETTLING_NS));
        }
    }

    /// Reads what is left and detaches the probes; the sink is waited for when they no longer disturb anybody.
    pub(crate) fn finish(mut self) -> Result<(S, Account), TracerError> {
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
                lost: self.lost(0) + self.lost(1),
                unmatched: self.lost(2),
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

    /// A count of `enum loss` in bpf/state.h, over all CPUs.
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
