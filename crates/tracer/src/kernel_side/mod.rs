//! The kernel side: loading its programs, its maps, and ways to attach the programs.
//!
//! aya loads it. A build needs no library of the machine, and packages have no libelf, whose licence (LGPL) asks for more
//! than a text. Each program is loaded by a call of its own, so that the verifier's words about a refused one are known.
//! aya can attach many uprobes as one link since 0.15, which needs Rust 1.98: hence the pinned tool chain.
//!
//! Tried: libbpf. It says the verifier's words to a hook for messages, and stops at the first program that is refused.
//! All 8,190 instructions, relocated against the types of six kernels, are the same with both.
//!
//! aya parses the kernel's types into 20 MB of small parts, which libbpf reads in place. So that memory is given back
//! first, then the names of the kernel's functions are read, and the rings come last. The peak of a trace of MariaDB was
//! 48 MB, and 50 MB with libbpf (profile `quick`, two CPUs, three each in turn, 28 November 2026). Of it, 16 MB are the
//! rings, which are mapped twice, and 22 MB the programs' files.

pub(crate) mod attaching;
pub(crate) mod filling;
pub(crate) mod kernel_types;
pub(crate) mod reasons;
pub(crate) mod uprobes;

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::process;

use aya::maps::{Map, MapError};
use aya::programs::{Program, ProgramError};
use aya::{Btf, Ebpf, EbpfError, EbpfLoader, VerifierLogLevel, include_bytes_aligned};

use crate::error::TracerError;
use crate::kernel_side::reasons::reason;
use crate::kernel_side::uprobes::Uprobes;

static OBJECT: &[u8] = include_bytes_aligned!(concat!(env!("OUT_DIR"), "/logtrace.bpf.o"));

/// Name of the section of the uprobes, with its end. It tells aya how to load and to attach them: with a link for all places,
/// or with one for each place if it ends at the dot.
const SECTION: &[u8] = b"uprobe.multi\0";
const DOT: usize = 6;

/// Loaded programs and maps.
pub(crate) struct KernelSide {
    ebpf: Ebpf,
    /// Way to place probes in the server.
    pub(crate) uprobes: Uprobes,
    /// Programs that the kernel refused, and why.
    pub(crate) refused: BTreeMap<&'static str, String>,
}

/// Settings of a load.
pub(crate) struct Loading<'a> {
    /// Types of the running kernel.
    pub(crate) types: &'a Btf,
    /// Process of the server.
    pub(crate) target_tgid: u32,
    /// Whether its threads serve many clients each.
    pub(crate) pools_threads: bool,
    /// Number of rows in the table of ways to callers.
    pub(crate) unwind_rows: u32,
    /// Way to place probes in the server.
    pub(crate) uprobes: Uprobes,
    /// Programs.
    pub(crate) programs: BTreeMap<&'static str, Wanted>,
}

/// Program that is loaded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Wanted {
    /// Tracepoint of a program with typed arguments.
    pub(crate) tracepoint: Option<&'static str>,
    /// Whether tracing needs it.
    pub(crate) is_needed: bool,
}

impl KernelSide {
    /// Loads programs. Leaves out those that are not needed and that the kernel refuses.
    pub(crate) fn load(loading: &Loading<'_>) -> Result<Self, TracerError> {
        let mut ebpf = loading
            .open()
            .map_err(|error| TracerError::load(reason(&error)))?;
        let mut refused = BTreeMap::new();
        for (&name, wanted) in &loading.programs {
            let Err(error) = wanted.load(ebpf.program_mut(name), loading.types) else {
                continue;
            };
            let reason = format!("program {name}: {}", reason(&error));
            if wanted.is_needed {
                return Err(TracerError::load(reason));
            }
            refused.insert(name, reason);
        }
        Ok(Self {
            ebpf,
            uprobes: loading.uprobes,
            refused,
        })
    }

    /// Returns a program of the type that its section gives it.
    pub(crate) fn program<'a, P>(&'a mut self, name: &str) -> Result<&'a mut P, ProgramError>
    where
        &'a mut P: TryFrom<&'a mut Program, Error = ProgramError>,
    {
        let program = self.ebpf.program_mut(name).ok_or(ProgramError::NotLoaded)?;
        program.try_into()
    }

    /// Returns the programs of the object. Some of them are not loaded.
    pub(crate) fn programs(&self) -> impl Iterator<Item = &Program> {
        self.ebpf.programs().map(|(_, program)| program)
    }

    /// Takes a map out of the object. Its programs keep it.
    pub(crate) fn take<M: TryFrom<Map, Error = MapError>>(&mut self, name: &str) -> Result<M, TracerError> {
        let map = self.take_map(name)?;
        map.try_into()
            .map_err(|error| TracerError::load(format_args!("map {name}: {}", reason(&error))))
    }

    /// Takes a map of any type out of the object.
    pub(crate) fn take_map(&mut self, name: &str) -> Result<Map, TracerError> {
        let map = self.ebpf.take_map(name);
        map.ok_or_else(|| TracerError::load(format_args!("no map {name} in the object")))
    }
}

impl Loading<'_> {
    /// Creates the maps, and adapts the programs to the running kernel.
    fn open(&self) -> Result<Ebpf, EbpfError> {
        let own_tgid = process::id();
        EbpfLoader::new()
            .btf(self.types)
            .override_global("target_tgid", &self.target_tgid, true)
            .override_global("own_tgid", &own_tgid, true)
            .override_global("pools_threads", &u32::from(self.pools_threads), true)
            .map_max_entries("unwind_rows", self.unwind_rows)
            .verifier_log_level(VerifierLogLevel::DEBUG)
            .load(&object(self.uprobes))
    }
}

impl Wanted {
    /// Program without which tracing goes on.
    pub(crate) fn optional(tracepoint: Option<&'static str>) -> Self {
        Self {
            tracepoint,
            is_needed: false,
        }
    }

    fn load(self, program: Option<&mut Program>, types: &Btf) -> Result<(), ProgramError> {
        match (program, self.tracepoint) {
            (Some(Program::BtfTracePoint(program)), Some(tracepoint)) => program.load(tracepoint, types),
            (Some(Program::TracePoint(program)), None) => program.load(),
            (Some(Program::UProbe(program)), None) => program.load(),
            (Some(Program::PerfEvent(program)), None) => program.load(),
            _ => Err(ProgramError::UnexpectedProgramType),
        }
    }
}

/// Returns the object for a way to place probes.
fn object(uprobes: Uprobes) -> Cow<'static, [u8]> {
    match uprobes {
        Uprobes::Together { .. } => Cow::Borrowed(OBJECT),
        Uprobes::Apart => Cow::Owned(with_places_apart(OBJECT)),
    }
}

/// Ends each name of the section at its dot: in the names of sections, and in those of the type information.
fn with_places_apart(object: &[u8]) -> Vec<u8> {
    let mut apart = object.to_vec();
    let names = object.windows(SECTION.len()).enumerate();
    for (start, _) in names.filter(|(_, bytes)| *bytes == SECTION) {
        apart[start + DOT] = 0;
    }
    apart
}

#[cfg(test)]
mod tests {
    use aya_obj::{Object, ProgramSection};

    use super::*;
    use crate::kernel_side::kernel_types::kernel_types;

    #[test]
    fn each_way_to_place_probes_has_its_section() {
        for (uprobes, is_together) in [
            (Uprobes::Together { is_filtered: true }, true),
            (Uprobes::Apart, false),
        ] {
            let object = Object::parse(&object(uprobes)).unwrap();
            let sections = object
                .programs
                .values()
                .filter_map(|program| match program.section {
                    ProgramSection::UProbe { multi, .. } => Some(multi),
                    _ => None,
                });
            let sections: Vec<bool> = sections.collect();
            assert!(sections.len() > 5 && sections.iter().all(|multi| *multi == is_together));
        }
    }

    mod needs_root {
        use super::*;

        #[test]
        fn a_program_that_the_kernel_refuses_is_named_with_the_verifiers_words() {
            let types = kernel_types().unwrap();
            let load = |is_needed| {
                // It reads an argument that this tracepoint has not.
                let wanted = Wanted {
                    tracepoint: Some("sched_waking"),
                    is_needed,
                };
                KernelSide::load(&Loading {
                    types: &types,
                    target_tgid: 1,
                    pools_threads: false,
                    unwind_rows: 1,
                    uprobes: Uprobes::Apart,
                    programs: BTreeMap::from([("on_switch", wanted)]),
                })
            };
            let side = load(false).unwrap();
            let reason = &side.refused["on_switch"];
            assert!(
                reason.starts_with("program on_switch: Permission denied"),
                "{reason}"
            );
            assert!(reason.contains("func 'sched_waking' doesn't have"), "{reason}");
            let error = load(true).err().unwrap().to_string();
            assert!(error.contains(reason), "{error}");
        }
    }
}
