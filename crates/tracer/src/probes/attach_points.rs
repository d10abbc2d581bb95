//! Places of the probes in the program of a server, found before anything is loaded.

use std::fs;
use std::path::{Path, PathBuf};

use crate::error::TracerError;
use crate::probes::call_offsets::call_sites;
use crate::probes::entry_offset::cheap_entry;
use crate::probes::symbols::Program;
use crate::probes::table::{Attach, PROBES, Probe, Servers};

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
    let bytes = fs::read(path).map_err(|source| TracerError::Program {
        path: path.into(),
        source,
    })?;
    let program = Program::parse(&bytes)?;
    PROBES.iter().map(|&probe| placement(&program, probe)).collect()
}

/// Returns the path of a process's program. It also works for a process in a container.
pub(crate) fn program_path(pid: u32) -> PathBuf {
    PathBuf::from(format!("/proc/{pid}/exe"))
}

fn is_for(program: &Program<'_>, servers: Servers) -> bool {
    match servers {
        Servers::Any => true,
        Servers::With(function) | Servers::WithThreads(function) => !program.functions(function).is_empty(),
    }
}

fn placement(program: &Program<'_>, probe: Probe) -> Result<Placement, TracerError> {
    let is_for_server = is_for(program, probe.servers);
    match probe.attach {
        Attach::BtfTracepoint(name) => Ok(Placement {
            probe,
            is_for_server,
            offsets: Vec::new(),
            place: format!("tp_btf/{name}"),
        }),
        Attach::Syscall(name) => Ok(Placement {
            probe,
            is_for_server,
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
                is_for_server,
                offsets,
                place,
            })
        }
        Attach::Function(names) => Ok(entry_placement(program, probe, names)),
    }
}

/// Returns the places of a probe on each function with one of these names. There is none if the server has no such
/// function.
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
        is_for_server: is_for(program, probe.servers),
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
