//! Attached probes of a server.

use std::num::NonZeroU32;
use std::path::Path;

use aya::programs::perf_event::{PerfEventConfig, PerfEventScope, SamplePolicy, SoftwareEvent};
use aya::programs::uprobe::{UProbeAttachLocation, UProbeScope};
use aya::programs::{BtfTracePoint, PerfEvent, Program as BpfProgram, ProgramError, TracePoint, UProbe};
use aya::util::online_cpus;
use aya::{Btf, Ebpf};

use crate::error::{TracerError, chain};
use crate::overhead::account::ProbeAccount;
use crate::overhead::calibration::Entry;
use crate::probes::attach_points::{Placement, program_path};
use crate::probes::table::{Attach, InBursts};

/// Probes of one server. Dropping it detaches them.
pub(crate) struct Attachments {
    pid: NonZeroU32,
    btf: Btf,
    placements: Vec<Placement>,
    links: Vec<(InBursts, Link)>,
}

/// Detaches a probe when it is dropped.
pub(crate) type Link = Box<dyn Send>;

impl Attachments {
    /// Attaches nothing yet.
    pub(crate) fn new(pid: NonZeroU32, btf: Btf, placements: Vec<Placement>) -> Self {
        Self {
            pid,
            btf,
            placements,
            links: Vec::new(),
        }
    }

    /// Attaches a program to a tracepoint, beside the probes.
    pub(crate) fn attach_to(&self, program: &mut BpfProgram, event: &str) -> Result<Link, ProgramError> {
        attach_tracepoint(program, event, &self.btf)
    }

    /// Adds a probe that is to be detached with the others, and stays between bursts.
    pub(crate) fn add(&mut self, link: Link) {
        self.links.push((InBursts::Stays, link));
    }

    /// Detaches the probes that do not stay between bursts. Fast ones come first: a uprobe takes 50 ms.
    pub(crate) fn suspend(&mut self) {
        self.links.retain(|(in_bursts, _)| *in_bursts == InBursts::Stays);
    }

    /// Attaches the probes for the next burst.
    pub(crate) fn resume(&mut self, bpf: &mut Ebpf) -> Result<(), TracerError> {
        let resumed = self.attach(bpf, |in_bursts| in_bursts != InBursts::Stays);
        if resumed.is_err() {
            self.suspend();
        }
        resumed.map(|_| ())
    }

    /// Attaches the probes with a wanted treatment in bursts, in the order of the table.
    pub(crate) fn attach(
        &mut self,
        bpf: &mut Ebpf,
        is_wanted: impl Fn(InBursts) -> bool,
    ) -> Result<Vec<ProbeAccount>, TracerError> {
        let mut accounts = Vec::new();
        for placement in &self.placements {
            let in_bursts = placement.probe.in_bursts;
            if is_wanted(in_bursts) {
                let (account, links) = attach(bpf, &self.btf, placement, self.pid)?;
                accounts.push(account);
                self.links.extend(links.into_iter().map(|link| (in_bursts, link)));
            }
        }
        Ok(accounts)
    }
}

fn attach(
    bpf: &mut Ebpf,
    btf: &Btf,
    placement: &Placement,
    pid: NonZeroU32,
) -> Result<(ProbeAccount, Vec<Link>), TracerError> {
    let probe = placement.probe;
    let attached = attach_program(bpf, btf, placement, pid);
    let (links, missing) = match (attached, probe.optional) {
        (Ok(links), _) => (links, None),
        (Err(reason), Some(consequence)) => (Vec::new(), Some(format!("{reason}; {consequence}"))),
        (Err(reason), None) => {
            return Err(TracerError(format!(
                "cannot attach the probe {}: {reason}. `logtrace doctor` tells what this machine allows",
                probe.name
            )));
        }
    };
    let account = ProbeAccount {
        name: probe.name,
        place: placement.place.clone(),
        missing,
        program: probe.program,
        entry: entry_of(probe.attach),
    };
    Ok((account, links))
}

fn entry_of(attach: Attach) -> Entry {
    match attach {
        Attach::BtfTracepoint(_) => Entry::Tracepoint,
        Attach::Syscall(_) => Entry::SystemCall,
        Attach::CpuClock(_) => Entry::Interrupt,
        Attach::Call { .. } | Attach::Function(_) => Entry::Trap,
    }
}

fn attach_program(
    bpf: &mut Ebpf,
    btf: &Btf,
    placement: &Placement,
    pid: NonZeroU32,
) -> Result<Vec<Link>, String> {
    let name = placement.probe.program;
    let program = bpf
        .program_mut(name)
        .ok_or_else(|| format!("no program {name} in the object"))?;
    let attached = match placement.probe.attach {
        Attach::BtfTracepoint(event) => attach_tracepoint(program, event, btf).map(|link| vec![link]),
        Attach::Syscall(event) => attach_syscall(program, event).map(|link| vec![link]),
        Attach::CpuClock(frequency) => attach_cpu_clock(program, frequency),
        Attach::Function(_) if placement.offsets.is_empty() => {
            return Err("the server's program has no such function".to_owned());
        }
        Attach::Call { .. } | Attach::Function(_) => attach_uprobe(program, &placement.offsets, pid),
    };
    attached.map_err(|error| chain(&error))
}

/// Attaches to a tracepoint. On loading, the kernel checks the arguments of the program against the tracepoint.
fn attach_tracepoint(program: &mut BpfProgram, event: &str, btf: &Btf) -> Result<Link, ProgramError> {
    let program: &mut BtfTracePoint = program.try_into()?;
    once(program.load(event, btf))?;
    let link = program.attach()?;
    Ok(Box::new(program.take_link(link)?))
}

fn attach_syscall(program: &mut BpfProgram, event: &str) -> Result<Link, ProgramError> {
    let program: &mut TracePoint = program.try_into()?;
    once(program.load())?;
    let link = program.attach("syscalls", event)?;
    Ok(Box::new(program.take_link(link)?))
}

fn attach_cpu_clock(program: &mut BpfProgram, frequency: u64) -> Result<Vec<Link>, ProgramError> {
    let program: &mut PerfEvent = program.try_into()?;
    once(program.load())?;
    let clock = PerfEventConfig::Software(SoftwareEvent::CpuClock);
    let cpus = online_cpus().map_err(|(_, error)| ProgramError::IOError(error))?;
    let attach = |cpu| -> Result<Link, ProgramError> {
        let scope = PerfEventScope::AllProcessesOneCpu { cpu };
        let link = program.attach(clock, scope, SamplePolicy::Frequency(frequency), false)?;
        Ok(Box::new(program.take_link(link)?))
    };
    cpus.into_iter().map(attach).collect()
}

fn attach_uprobe(
    program: &mut BpfProgram,
    offsets: &[u64],
    pid: NonZeroU32,
) -> Result<Vec<Link>, ProgramError> {
    let path = program_path(pid.get());
    offsets
        .iter()
        .map(|&offset| attach_at(program, &path, offset, pid))
        .collect()
}

/// Attaches a program to an offset in a file, for one process.
pub(crate) fn attach_at(
    program: &mut BpfProgram,
    file: &Path,
    offset: u64,
    pid: NonZeroU32,
) -> Result<Link, ProgramError> {
    let program: &mut UProbe = program.try_into()?;
    once(program.load())?;
    let place = UProbeAttachLocation::AbsoluteOffset(offset);
    let link = program.attach(place, file, UProbeScope::OneProcess(pid))?;
    Ok(Box::new(program.take_link(link)?))
}

/// Ignores that a program is already loaded: several probes may share one.
fn once(loaded: Result<(), ProgramError>) -> Result<(), ProgramError> {
    match loaded {
        Err(ProgramError::AlreadyLoaded) => Ok(()),
        other => other,
    }
}
