//! Places of the probes in the program of a server, found before anything is loaded.

use std::path::{Path, PathBuf};

use logtrace_common::read_program;

use crate::error::TracerError;
use crate::probes::call_offsets::call_sites;
use crate::probes::entry_offset::cheap_entry;
use crate::probes::exit_offsets::exits;
use crate::probes::program::Program;
use crate::probes::table::{Attach, PROBES, Probe, Servers};
use crate::symbols::Function;

/// Probe with its place.
#[derive(Debug)]
pub(crate) struct Placement {
    pub(crate) probe: Probe,
    /// Whether the probe is for this server.
    pub(crate) is_for_server: bool,
    /// Offsets in the program file; empty for probes of the kernel.
    pub(crate) offsets: Vec<u64>,
    /// Description of the place.
    pub(crate) place: String,
}

/// Checks whether the program of a server has all that the probes need. Loads nothing.
pub fn check_program(path: &Path) -> Result<(), TracerError> {
    placements(path).map(|_| ())
}

/// Returns the place of each probe of the table in the program of a server.
pub(crate) fn placements(path: &Path) -> Result<Vec<Placement>, TracerError> {
    let bytes = read_program(path).map_err(|error| {
        let path = path.display();
        TracerError(format!(
            "cannot read the server's program {path} (is the server still running?): {error}"
        ))
    })?;
    let program = Program::parse(&bytes)?;
    PROBES.iter().map(|&probe| placement(&program, probe)).collect()
}

/// Returns the path of a process's program. It also works for a process in a container.
pub(crate) fn program_path(pid: u32) -> PathBuf {
    PathBuf::from(format!("/proc/{pid}/exe"))
}

pub(crate) fn placement(program: &Program<'_>, probe: Probe) -> Result<Placement, TracerError> {
    let (offsets, place) = match probe.attach {
        Attach::BtfTracepoint(name) => (Vec::new(), format!("tp_btf/{name}")),
        Attach::Syscall(name) => (Vec::new(), format!("tracepoint/syscalls/{name}")),
        Attach::CpuClock(frequency) => (Vec::new(), format!("perf_event/cpu-clock, {frequency} Hz")),
        Attach::Call { function, callee } => {
            let offsets = call_offsets(program, function, callee)?;
            let calls = offsets.len();
            let place = format!("uprobe at {calls} calls of {callee}...) in {function}...)");
            (offsets, place)
        }
        Attach::Function(names) => entries(program, names),
        Attach::End(names) => ends(program, names),
    };
    let is_for_server = match probe.servers {
        Servers::Any => true,
        Servers::With(function) | Servers::WithThreads(function) => !program.functions(function).is_empty(),
    };
    Ok(Placement {
        probe,
        is_for_server,
        offsets,
        place,
    })
}

/// Returns the offsets of a probe on each function with one of these names, and their description. There is none if the
/// server has no such function.
fn entries(program: &Program<'_>, names: &[&'static str]) -> (Vec<u64>, String) {
    let functions = names.iter().flat_map(|name| program.functions(name));
    let entries = functions.filter_map(|function| {
        let cheap = cheap_entry(program.code(function)?, function.address);
        let offset = program.file_offset(cheap.unwrap_or(function.address))?;
        Some((offset, cheap.is_some()))
    });
    let (offsets, are_cheap): (Vec<u64>, Vec<bool>) = entries.unzip();
    let stepped = if are_cheap.contains(&false) {
        ", single-stepped"
    } else {
        ""
    };
    let (count, names) = (offsets.len(), names.join("...) or "));
    let place = format!("uprobe in {count} functions {names}...){stepped}");
    (offsets, place)
}

/// Returns the offsets of a probe on each end of each function with one of these names, and their description. The kernel
/// single-steps a return.
fn ends(program: &Program<'_>, names: &[&'static str]) -> (Vec<u64>, String) {
    let functions = names.iter().flat_map(|name| program.functions(name));
    let ends = functions.flat_map(|function| {
        let code = program.code(function).unwrap_or_default();
        exits(code, function.address, |address| program.is_function(address))
    });
    let offsets: Vec<u64> = ends.filter_map(|address| program.file_offset(address)).collect();
    let (count, names) = (offsets.len(), names.join("...) or "));
    let place = format!("uprobe at {count} ends of {names}...), single-stepped");
    (offsets, place)
}

fn call_offsets(program: &Program<'_>, function: &str, callee: &str) -> Result<Vec<u64>, TracerError> {
    let functions = existing(program, function)?;
    let targets: Vec<u64> = existing(program, callee)?
        .iter()
        .map(|function| function.address)
        .collect();
    let offsets: Vec<u64> = functions
        .iter()
        .filter_map(|function| Some(call_sites(program.code(*function)?, function.address, &targets)))
        .flatten()
        .filter_map(|address| program.file_offset(address))
        .collect();
    if offsets.is_empty() {
        return Err(TracerError(format!(
            "{function} of the server's program makes no direct call of {callee}: the compiler placed it elsewhere. \
             Use another build of the server, or measure without causes: logtrace run --no-trace"
        )));
    }
    Ok(offsets)
}

/// Returns the functions with this prefix of the demangled name, at least one.
fn existing<'a>(program: &Program<'a>, function: &str) -> Result<Vec<Function<'a>>, TracerError> {
    let functions = program.functions(function);
    if functions.is_empty() {
        return Err(TracerError(format!(
            "the server's program has no symbol {function}: it is stripped, or of a version that logtrace does not \
             know. Use a build that exports its symbols (Debian's and the vendors' own do), or measure without \
             causes: logtrace run --no-trace"
        )));
    }
    Ok(functions)
}
