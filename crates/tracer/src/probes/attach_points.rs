//! Places of the probes in the program of a server, found before anything is loaded.

use std::collections::BTreeSet;
use std::fs::File;
use std::io;

use logtrace_common::ProgramFile;

use crate::error::TracerError;
use crate::probes::commit_calls::{CommitCalls, FUNCTIONS, MOST_PLACES, commit_calls, too_many};
use crate::probes::entry_offset::cheap_entry;
use crate::probes::exit_offsets::exits;
use crate::probes::probe::{Attach, Probe, Servers};
use crate::probes::program::ProbedProgram;
use crate::probes::table::{PROBES, counterpart};

/// Probe with its place.
#[derive(Debug)]
pub(crate) struct ProbePlacement {
    pub(crate) probe: Probe,
    /// Whether the probe is for this server.
    pub(crate) is_for_server: bool,
    /// Offsets in the program file; empty for probes of the kernel.
    pub(crate) offsets: Vec<u64>,
    /// Description of the place.
    pub(crate) place: String,
    /// Reason why the program has no place for the probe, if it has none.
    pub(crate) absent: Option<String>,
}

/// Checks whether the program of a server has all that the probes need. Loads nothing.
pub fn check_program(program: io::Result<File>) -> Result<(), TracerError> {
    placements(program).map(|_| ())
}

/// Returns the place of each probe of the table in the program of a server.
pub(crate) fn placements(program: io::Result<File>) -> Result<Vec<ProbePlacement>, TracerError> {
    let file = program.and_then(ProgramFile::new);
    let file = file.map_err(|error| TracerError(format!("cannot read the server's program: {error}")))?;
    let functions = PROBES.iter().flat_map(Probe::functions);
    let program = ProbedProgram::read(file, functions.chain(FUNCTIONS))?;
    let calls = commit_calls(&program)?;
    let mut placements: Vec<_> = PROBES
        .iter()
        .map(|&probe| placement(&program, &calls, probe))
        .collect();
    drop_halves(&mut placements);
    Ok(placements)
}

/// Takes the place from each probe whose counterpart has none.
fn drop_halves(placements: &mut [ProbePlacement]) {
    let absent: Vec<&str> = placements
        .iter()
        .filter(|placement| placement.absent.is_some())
        .map(|placement| placement.probe.name)
        .collect();
    for placement in placements {
        let other = counterpart(placement.probe.name).filter(|other| absent.contains(other));
        if let (None, Some(other)) = (&placement.absent, other) {
            placement.offsets.clear();
            placement.absent = Some(format!("{other} has no place in the server's program"));
        }
    }
}

pub(crate) fn placement(program: &ProbedProgram, calls: &CommitCalls, probe: Probe) -> ProbePlacement {
    let (offsets, place) = match probe.attach {
        Attach::BtfTracepoint(name) => (Vec::new(), format!("tp_btf/{name}")),
        Attach::Syscall(name) => (Vec::new(), format!("tracepoint/syscalls/{name}")),
        Attach::CpuClock(frequency) => (Vec::new(), format!("perf_event/cpu-clock, {frequency} Hz")),
        Attach::CommitBegin => (calls.begin.clone(), calls.begin_place()),
        Attach::CommitEnd => (calls.end.clone(), calls.end_place()),
        Attach::Function(names) => entries(program, names),
        Attach::End(names) => ends(program, names),
    };
    let absent = absent(program, probe.attach, &offsets);
    let is_for_server = match probe.servers {
        Servers::Any => true,
        Servers::With(function) | Servers::WithPool(function) => {
            !program.functions_and_clones(function).is_empty()
        }
    };
    ProbePlacement {
        probe,
        is_for_server,
        offsets: if absent.is_some() { Vec::new() } else { offsets },
        absent,
        place,
    }
}

/// Returns why a probe has no place, if it has none.
fn absent(program: &ProbedProgram, attach: Attach, offsets: &[u64]) -> Option<String> {
    let (Attach::Function(names) | Attach::End(names)) = attach else {
        return None;
    };
    if names.iter().any(|name| program.has_other_arguments(name)) {
        return Some("the compiler made a clone of the function with other arguments".to_owned());
    }
    if offsets.len() > MOST_PLACES {
        return Some(too_many());
    }
    let none = "the server's program has no such function";
    offsets.is_empty().then(|| none.to_owned())
}

/// Returns the offsets of a probe on each function with one of these names, and their description. There is none if the
/// server has no such function. Of too many it looks at one more than may be.
fn entries(program: &ProbedProgram, names: &[&'static str]) -> (Vec<u64>, String) {
    let functions = names.iter().flat_map(|name| program.functions(name));
    let entries = functions.take(MOST_PLACES + 1).filter_map(|function| {
        let cheap = cheap_entry(&program.code(function)?, function.address);
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
/// single-steps a return. Of too many it looks at one more than may be.
fn ends(program: &ProbedProgram, names: &[&'static str]) -> (Vec<u64>, String) {
    let functions = names.iter().flat_map(|name| program.functions(name));
    let ends = functions.take(MOST_PLACES + 1).flat_map(|function| {
        let code = program.code(function).unwrap_or_default();
        let mut targets = BTreeSet::new();
        exits(&code, function.address, |target| targets.insert(target));
        let starts = program.starts_of_functions(&targets);
        exits(&code, function.address, |target| starts.contains(&target))
    });
    let offsets: Vec<u64> = ends.filter_map(|address| program.file_offset(address)).collect();
    let (count, names) = (offsets.len(), names.join("...) or "));
    let place = format!("uprobe at {count} ends of {names}...), single-stepped");
    (offsets, place)
}
