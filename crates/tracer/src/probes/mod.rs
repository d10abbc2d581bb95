//! The probes: which there are, where they go in a server's program, and attaching them.

pub(crate) mod attach_points;
pub(crate) mod best_uprobes;
pub(crate) mod call_offsets;
pub(crate) mod commit_calls;
pub(crate) mod detaching;
pub(crate) mod entry_offset;
pub(crate) mod exit_offsets;
pub(crate) mod moved_code;
pub(crate) mod probe;
pub(crate) mod program;
pub(crate) mod table;

use std::sync::Arc;
use std::thread;

use aya::programs::ProgramError;
use logtrace_common::process::{ProcessError, ProcessHandle};

use crate::error::TracerError;
use crate::kernel_side::KernelSide;
use crate::kernel_side::attaching::{Link, attach_cpu_clocks, attach_system_call, attach_tracepoint};
use crate::kernel_side::reasons::reason;
use crate::overhead::ProbeAccount;
use crate::overhead::calibration::ProgramEntry;
use crate::probes::attach_points::ProbePlacement;
use crate::probes::moved_code::MovedCode;
use crate::probes::probe::{Attach, InBursts};

/// Probes of one server. Dropping it detaches them.
pub(crate) struct Attachments {
    server: Arc<ProcessHandle>,
    placements: Vec<ProbePlacement>,
    links: Vec<(InBursts, Link)>,
}

impl Attachments {
    /// Attaches nothing yet.
    pub(crate) fn new(server: Arc<ProcessHandle>, placements: Vec<ProbePlacement>) -> Self {
        Self {
            server,
            placements,
            links: Vec::new(),
        }
    }

    /// Returns whether programs run at all system calls, in place of those at single ones.
    pub(crate) fn trace_all_calls(&self) -> bool {
        let mut placements = self.placements.iter();
        placements.any(|placement| placement.probe.in_bursts == InBursts::Replacement)
    }

    /// Watches the code at the probes in the program.
    pub(crate) fn watch_code(&self) -> MovedCode {
        let placements = self.placements.iter();
        let in_program = placements.filter(|placement| !placement.offsets.is_empty());
        let probes = in_program.map(|placement| (placement.probe.name, placement.offsets.clone()));
        MovedCode::watch(Arc::clone(&self.server), probes.collect())
    }

    /// Adds a probe that is to be detached with the others, and stays between bursts.
    pub(crate) fn add(&mut self, link: Link) {
        self.links.push((InBursts::Stays, link));
    }

    /// Detaches the probes that do not stay between bursts. Fast ones come first: a uprobe may take 50 ms. The thread that reads
    /// the rings does it: other threads could starve, because only this one is watched.
    pub(crate) fn suspend(&mut self) {
        self.links.retain(|(in_bursts, _)| *in_bursts == InBursts::Stays);
    }

    /// Attaches the probes for the next burst. The rights for the process are given up by then, and the open program still
    /// has its name.
    pub(crate) fn resume(&mut self, side: &mut KernelSide) -> Result<(), TracerError> {
        let resumed = self.attach(side, |in_bursts| in_bursts != InBursts::Stays);
        if resumed.is_err() {
            self.suspend();
        }
        resumed.map(|_| ())
    }

    /// Attaches the probes with a wanted treatment in bursts, in the order of the table. Then the process has to run the
    /// same program as before.
    pub(crate) fn attach(
        &mut self,
        side: &mut KernelSide,
        is_wanted: impl Fn(InBursts) -> bool,
    ) -> Result<Vec<ProbeAccount>, TracerError> {
        let mut accounts = Vec::new();
        for placement in &self.placements {
            let in_bursts = placement.probe.in_bursts;
            if is_wanted(in_bursts) {
                let attached = attach(side, placement, &self.server);
                // This is why it failed, if it did.
                let (account, links) = attached.or_else(|error| self.still_same().and(Err(error)))?;
                accounts.push(account);
                self.links.extend(links.into_iter().map(|link| (in_bursts, link)));
            }
        }
        self.still_same()?;
        Ok(accounts)
    }

    /// Returns the reason to fail if the process has executed another program.
    pub(crate) fn executed(&self) -> Option<TracerError> {
        let found = self.server.still_same().err();
        let executed = found.filter(|found| matches!(found, ProcessError::Executed { .. }));
        executed.map(TracerError::process)
    }

    fn still_same(&self) -> Result<(), TracerError> {
        self.server.still_same().map_err(TracerError::process)
    }
}

impl Drop for Attachments {
    /// Detaches the probes, each on a thread of its own: for each uprobe the kernel waits some 50 ms, until no CPU can be inside
    /// (`uprobe_unregister_sync`), and such waits end together. Without a thread a probe is detached at once.
    fn drop(&mut self) {
        thread::scope(|scope| {
            for link in self.links.drain(..) {
                let thread = thread::Builder::new().name("logtrace-detach".into());
                let _ = thread.spawn_scoped(scope, move || drop(link));
            }
        });
    }
}

fn attach(
    side: &mut KernelSide,
    placement: &ProbePlacement,
    server: &ProcessHandle,
) -> Result<(ProbeAccount, Vec<Link>), TracerError> {
    let probe = placement.probe;
    let attached = attach_program(side, placement, server);
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

fn entry_of(attach: Attach) -> ProgramEntry {
    match attach {
        Attach::BtfTracepoint(_) => ProgramEntry::Tracepoint,
        Attach::Syscall(_) => ProgramEntry::SystemCall,
        Attach::CpuClock(_) => ProgramEntry::Interrupt,
        Attach::CommitBegin | Attach::CommitEnd | Attach::Function(_) | Attach::End(_) => ProgramEntry::Trap,
    }
}

fn attach_program(
    side: &mut KernelSide,
    placement: &ProbePlacement,
    server: &ProcessHandle,
) -> Result<Vec<Link>, String> {
    if let Some(reason) = &placement.absent {
        return Err(reason.clone());
    }
    let name = placement.probe.program;
    if let Some(reason) = side.refused.get(name) {
        return Err(reason.clone());
    }
    let attached = match placement.probe.attach {
        Attach::BtfTracepoint(_) => attached(side.program(name).and_then(attach_tracepoint)),
        Attach::Syscall(event) => {
            let program = side.program(name);
            attached(program.and_then(|program| attach_system_call(program, event)))
        }
        Attach::CpuClock(frequency) => {
            let program = side.program(name);
            program.and_then(|program| attach_cpu_clocks(program, frequency))
        }
        Attach::CommitBegin | Attach::CommitEnd | Attach::Function(_) | Attach::End(_) => {
            let uprobes = side.uprobes;
            let (file, offsets) = (server.path_to_program(), &placement.offsets);
            let program = side.program(name);
            program.and_then(|program| uprobes.attach(program, &file, offsets, server.pid()))
        }
    };
    attached.map_err(|error| reason(&error))
}

fn attached(link: Result<Link, ProgramError>) -> Result<Vec<Link>, ProgramError> {
    link.map(|link| vec![link])
}
