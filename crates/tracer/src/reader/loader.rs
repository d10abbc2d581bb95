//! Loading of the BPF programs for a server, with their rings and places.

use std::collections::BTreeSet;
use std::sync::Arc;

use libbpf_rs::Btf;
use libbpf_rs::btf::types::Typedef;

use crate::config::TracerConfig;
use crate::error::TracerError;
use crate::kernel_side::object::{KernelSide, Loading};
use crate::kernel_side::uprobes::Uprobes;
use crate::overhead::program_runs::{ANY_CALL, NOTHING};
use crate::probes::attach_points::{Placement, placements};
use crate::probes::best_uprobes::best_uprobes;
use crate::probes::links::Attachments;
use crate::probes::table::{InBursts, Kernels, Servers};
use crate::reader::rings::Rings;
use crate::stacks::tables::UnwindTables;
use crate::tracefs;

/// Loads the programs for a server, creates its rings, and finds the places of the probes in the configuration. Attaches
/// nothing.
pub(crate) fn load(
    config: &TracerConfig,
    unwind: &UnwindTables,
) -> Result<(KernelSide, Rings, Attachments), TracerError> {
    let mut placements = placements(config.process.program())?;
    let btf = Btf::from_vmlinux().map_err(|error| {
        TracerError(format!(
            "cannot read the kernel's type information (/sys/kernel/btf/vmlinux): {error:#}. Tracing needs a kernel \
             built with CONFIG_DEBUG_INFO_BTF, as distributions' kernels are"
        ))
    })?;
    let replaces = config.extent.sampling.has_gaps() || !tracefs::is_visible();
    placements.retain(|placement| {
        is_wanted(placement, config) && is_used(placement, replaces) && is_for_kernel(placement, config, &btf)
    });
    drop(btf);
    let (needed, optional) = programs(&placements);
    let uprobes = match config.as_on_older_kernels {
        true => Uprobes::Apart,
        false => best_uprobes(),
    };
    let side = KernelSide::load(Loading {
        target_tgid: config.process.pid(),
        unwind_rows: unwind.row_count(),
        uprobes,
        needed,
        optional,
    })?;
    unwind.fill(&side)?;
    let rings = Rings::new(&side, config.ring_bytes.get())?;
    let attachments = Attachments::new(Arc::clone(&config.process), placements);
    Ok((side, rings, attachments))
}

/// Returns the programs of the probes that are needed, and those that tracing can do without.
fn programs(placements: &[Placement]) -> (BTreeSet<&'static str>, BTreeSet<&'static str>) {
    let of = |is_needed: bool| {
        let wanted = placements
            .iter()
            .filter(move |placement| placement.probe.optional.is_none() == is_needed);
        wanted.map(|placement| placement.probe.program).collect()
    };
    let (needed, mut optional): (BTreeSet<_>, BTreeSet<_>) = (of(true), of(false));
    // What measures the tracer's cost is left out of the account if the kernel refuses it.
    optional.extend([ANY_CALL, NOTHING]);
    let optional = &optional - &needed;
    (needed, optional)
}

fn is_wanted(placement: &Placement, config: &TracerConfig) -> bool {
    let probe = placement.probe;
    let by_threads = !matches!(probe.servers, Servers::WithThreads(_)) || !config.pools_threads;
    placement.is_for_server && by_threads && probe.detail <= config.extent.detail
}

/// Returns whether a probe is used if single system calls are replaced by all of them, or if they are not.
fn is_used(placement: &Placement, replaces: bool) -> bool {
    match placement.probe.in_bursts {
        InBursts::Attached | InBursts::Stays => true,
        InBursts::Replaced => !replaces,
        InBursts::Replacement => replaces,
    }
}

fn is_for_kernel(placement: &Placement, config: &TracerConfig, btf: &Btf<'_>) -> bool {
    let has = |tracepoint| !config.as_on_older_kernels && has_tracepoint(btf, tracepoint);
    match placement.probe.kernels {
        Kernels::All => true,
        Kernels::With(tracepoint) => has(tracepoint),
        Kernels::Without(tracepoint) => !has(tracepoint),
    }
}

/// Returns whether the kernel has this tracepoint: the type of its function is in its type information
/// (include/linux/tracepoint.h, include/trace/bpf_probe.h).
fn has_tracepoint(btf: &Btf<'_>, tracepoint: &str) -> bool {
    let function = format!("btf_trace_{tracepoint}");
    btf.type_by_name::<Typedef<'_>>(&function).is_some()
}
