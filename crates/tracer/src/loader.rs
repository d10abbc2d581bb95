//! Loading the programs and attaching the probes of the table.

use std::fs;
use std::num::NonZeroU32;
use std::path::{Path, PathBuf};

use aya::programs::uprobe::{UProbeAttachLocation, UProbeScope};
use aya::programs::{BtfTracePoint, Program as BpfProgram, ProgramError, TracePoint, UProbe};
use aya::{Btf, Ebpf, EbpfLoader, include_bytes_aligned};

use crate::account::ProbeAccount;
use crate::call_sites::call_sites;
use crate::entry::cheap_entry;
use crate::error::TracerError;
use crate::probes::{Attach, PROBES, Probe};
use crate::rings::Rings;
use crate::symbols::Program;
use crate::tracer::TracerConfig;

static OBJECT: &[u8] = include_bytes_aligned!(concat!(env!("OUT_DIR"), "/logtrace.bpf.o"));

/// Where the probes of the server go, found before anything is loaded.
#[derive(Debug)]
struct Placement {
    probe: Probe,
    /// Offsets in the program file; empty for probes of the kernel.
    offsets: Vec<u64>,
    place: String,
}

/// Whether the program of a server has what the probes need. Loads nothing.
pub fn check_program(path: &Path) -> Result<(), TracerError> {
    placements(path).map(|_| ())
}

/// Loads the object for the process `pid`, gives it its rings, and attaches the probes that the configuration asks for.
pub(crate) fn load(
    pid: NonZeroU32,
    config: &TracerConfig,
) -> Result<(Ebpf, Rings, Vec<ProbeAccount>), TracerError> {
    let placements = placements(&program_path(pid.get()))?;
    let btf = Btf::from_sys_fs().map_err(|error| TracerError::Btf(error.to_string()))?;
    let target = pid.get();
    let mut bpf = EbpfLoader::new()
        .btf(Some(&btf))
        .override_global("target_tgid", &target, true)
        .load(OBJECT)
        .map_err(|error| TracerError::Load(chain(&error)))?;
    let rings = Rings::new(&mut bpf, config.ring_bytes.get())?;
    let probes = placements
        .iter()
        .filter(|placement| placement.probe.detail <= config.detail)
        .filter(|placement| {
            !placement.probe.per_client || (!config.pools_threads && !placement.offsets.is_empty())
        })
        .map(|placement| attach(&mut bpf, &btf, placement, pid))
        .collect::<Result<_, _>>()?;
    Ok((bpf, rings, probes))
}

fn placements(path: &Path) -> Result<Vec<Placement>, TracerError> {
    let bytes = fs::read(path).map_err(|source| TracerError::Program {
        path: path.into(),
        source,
    })?;
    let program = Program::parse(&bytes)?;
    PROBES.iter().map(|&probe| placement(&program, probe)).collect()
}

/// The program of a process, also of one in a container with a root of its own.
fn program_path(pid: u32) -> PathBuf {
    PathBuf::from(format!("/proc/{pid}/exe"))
}

fn placement(program: &Program<'_>, probe: Probe) -> Result<Placement, TracerError> {
    match probe.attach {
        Attach::BtfTracepoint(name) => Ok(Placement {
            probe,
            offsets: Vec::new(),
            place: format!("tp_btf/{name}"),
        }),
        Attach::Syscall(name) => Ok(Placement {
            probe,
            offsets: Vec::new(),
            place: format!("tracepoint/syscalls/{name}"),
        }),
        Attach::Call { function, callee } => {
            let offsets = call_offsets(program, function, callee)?;
            let place = format!(
                "uprobe at {} calls of {callee}...) in {function}...)",
                offsets.len()
            );
            Ok(Placement {
                probe,
                offsets,
                place,
            })
        }
        Attach::Function(names) => Ok(entry_placement(program, probe, names)),
    }
}

/// On each function of these names; on none where the server has none of them.
fn entry_placement(program: &Program<'_>, probe: Probe, names: &[&'static str]) -> Placement {
    let functions = names.iter().flat_map(|name| program.functions(name));
    let entries: Vec<(u64, bool)> = functions
        .filter_map(|function| {
            let cheap = cheap_entry(program.code(&function)?, function.address);
            let offset = program.file_offset(cheap.unwrap_or(function.address))?;
            Some((offset, cheap.is_some()))
        })
        .collect();
    let stepped = if entries.iter().all(|(_, cheap)| *cheap) {
        ""
    } else {
        ", single-stepped"
    };
    Placement {
        probe,
        place: format!(
            "uprobe in {} functions {}...){stepped}",
            entries.len(),
            names.join("...) or ")
        ),
        offsets: entries.into_iter().map(|(offset, _)| offset).collect(),
    }
}

fn call_offsets(program: &Program<'_>, function: &str, callee: &str) -> Result<Vec<u64>, TracerError> {
    let functions = program.functions(function);
    if functions.is_empty() {
        return Err(TracerError::Symbol {
            function: function.into(),
        });
    }
    let targets: Vec<u64> = program
        .functions(callee)
        .iter()
        .map(|function| function.address)
        .collect();
    if targets.is_empty() {
        return Err(TracerError::Symbol {
            function: callee.into(),
        });
    }
    let offsets: Vec<u64> = functions
        .iter()
        .filter_map(|function| Some(call_sites(program.code(function)?, function.address, &targets)))
        .flatten()
        .filter_map(|address| program.file_offset(address))
        .collect();
    if offsets.is_empty() {
        return Err(TracerError::CallSite {
            function: function.into(),
            callee: callee.into(),
        });
    }
    Ok(offsets)
}

fn attach(
    bpf: &mut Ebpf,
    btf: &Btf,
    placement: &Placement,
    pid: NonZeroU32,
) -> Result<ProbeAccount, TracerError> {
    let probe = placement.probe;
    let attached = attach_program(bpf, btf, placement, pid);
    let missing = match (attached, probe.optional) {
        (Ok(()), _) => None,
        (Err(reason), Some(consequence)) => Some(format!("{reason}; {consequence}")),
        (Err(reason), None) => {
            return Err(TracerError::Attach {
                probe: probe.name,
                reason,
            });
        }
    };
    Ok(ProbeAccount {
        name: probe.name,
        place: placement.place.clone(),
        missing,
        program: probe.program,
        ..ProbeAccount::default()
    })
}

fn attach_program(bpf: &mut Ebpf, btf: &Btf, placement: &Placement, pid: NonZeroU32) -> Result<(), String> {
    let name = placement.probe.program;
    let program = bpf
        .program_mut(name)
        .ok_or_else(|| format!("no program {name} in the object"))?;
    let attached = match placement.probe.attach {
        Attach::BtfTracepoint(event) => attach_tracepoint(program, event, btf),
        Attach::Syscall(event) => attach_syscall(program, event),
        Attach::Function(_) if placement.offsets.is_empty() => {
            return Err("the server's program has no such function".to_owned());
        }
        Attach::Call { .. } | Attach::Function(_) => attach_uprobe(program, &placement.offsets, pid),
    };
    attached.map_err(|error| chain(&error))
}

/// The kernel checks the arguments that the program takes against the tracepoint's when it is loaded.
fn attach_tracepoint(program: &mut BpfProgram, event: &str, btf: &Btf) -> Result<(), ProgramError> {
    let program: &mut BtfTracePoint = program.try_into()?;
    once(program.load(event, btf))?;
    program.attach().map(|_| ())
}

fn attach_syscall(program: &mut BpfProgram, event: &str) -> Result<(), ProgramError> {
    let program: &mut TracePoint = program.try_into()?;
    once(program.load())?;
    program.attach("syscalls", event).map(|_| ())
}

fn attach_uprobe(program: &mut BpfProgram, offsets: &[u64], pid: NonZeroU32) -> Result<(), ProgramError> {
    let program: &mut UProbe = program.try_into()?;
    once(program.load())?;
    for &offset in offsets {
        let place = UProbeAttachLocation::AbsoluteOffset(offset);
        program.attach(place, program_path(pid.get()), UProbeScope::OneProcess(pid))?;
    }
    Ok(())
}

/// Several probes may share a program, which is loaded with the first of them.
fn once(loaded: Result<(), ProgramError>) -> Result<(), ProgramError> {
    match loaded {
        Err(ProgramError::AlreadyLoaded) => Ok(()),
        other => other,
    }
}

/// An error with its causes, in one line.
fn chain(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(cause) = source {
        text.push_str(": ");
        text.push_str(&cause.to_string());
        source = cause.source();
    }
    text
}
