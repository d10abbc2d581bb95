//! Loading of the BPF programs for a server, with their places.

use std::collections::BTreeMap;
use std::sync::Arc;

use aya::Btf;

use crate::config::TracerConfig;
use crate::error::TracerError;
use crate::kernel_release::KernelRelease;
use crate::kernel_side::kernel_types::{give_back, has_tracepoint, kernel_types};
use crate::kernel_side::uprobes::Uprobes;
use crate::kernel_side::{KernelSide, Loading, Wanted};
use crate::overhead::program_runs::{ANY_CALL, ANY_CALL_AT, NOTHING};
use crate::probes::Attachments;
use crate::probes::attach_points::{ProbePlacement, placements};
use crate::probes::best_uprobes::best_uprobes;
use crate::probes::probe::{Attach, InBursts, Kernels, Servers};
use crate::stacks::tables::UnwindTables;
use crate::tracefs;

/// First release with a tracepoint that takes the place of another way: `sched_exit_tp`.
const WITH_TRACEPOINTS: KernelRelease = KernelRelease { major: 6, minor: 15 };

/// Loads the programs for a server, and finds the places of the probes in the configuration. Attaches nothing.
pub(crate) fn load(
    config: &TracerConfig,
    unwind: UnwindTables,
) -> Result<(KernelSide, Attachments), TracerError> {
    let mut placements = placements(config.process.program())?;
    let types = kernel_types()?;
    let replaces = config.extent.sampling.has_gaps() || !tracefs::is_visible();
    placements.retain(|placement| {
        is_wanted(placement, config)
            && is_used(placement, replaces)
            && is_for_kernel(placement, config, &types)
    });
    let uprobes = config.as_on.map_or_else(best_uprobes, Uprobes::of);
    let mut side = KernelSide::load(&Loading {
        types: &types,
        target_tgid: config.process.pid(),
        pools_threads: config.pools_threads,
        unwind_rows: unwind.row_count(),
        uprobes,
        programs: programs(&placements),
    })?;
    unwind.fill(&mut side)?;
    drop(unwind);
    give_back(types);
    let attachments = Attachments::new(Arc::clone(&config.process), placements);
    Ok((side, attachments))
}

/// Returns the programs of the probes. Those that probes need are needed, whatever other probes they have.
fn programs(placements: &[ProbePlacement]) -> BTreeMap<&'static str, Wanted> {
    // What measures the tracer's cost is left out of the account if the kernel refuses it.
    let mut programs = BTreeMap::from([
        (ANY_CALL, Wanted::optional(Some(ANY_CALL_AT))),
        (NOTHING, Wanted::optional(None)),
    ]);
    for probe in placements.iter().map(|placement| placement.probe) {
        let tracepoint = match probe.attach {
            Attach::BtfTracepoint(tracepoint) => Some(tracepoint),
            _ => None,
        };
        let wanted = programs.entry(probe.program);
        let wanted = wanted.or_insert_with(|| Wanted::optional(tracepoint));
        wanted.is_needed |= probe.optional.is_none();
    }
    programs
}

fn is_wanted(placement: &ProbePlacement, config: &TracerConfig) -> bool {
    let probe = placement.probe;
    let by_threads = !matches!(probe.servers, Servers::WithPool(_)) || config.pools_threads;
    placement.is_for_server && by_threads && probe.detail <= config.extent.detail
}

/// Returns whether a probe is used if single system calls are replaced by all of them, or if they are not.
fn is_used(placement: &ProbePlacement, replaces: bool) -> bool {
    match placement.probe.in_bursts {
        InBursts::Attached | InBursts::Stays => true,
        InBursts::Replaced => !replaces,
        InBursts::Replacement => replaces,
    }
}

fn is_for_kernel(placement: &ProbePlacement, config: &TracerConfig, types: &Btf) -> bool {
    let has = |tracepoint| {
        config.as_on.is_none_or(|release| release >= WITH_TRACEPOINTS) && has_tracepoint(types, tracepoint)
    };
    match placement.probe.kernels {
        Kernels::All => true,
        Kernels::With(tracepoint) => has(tracepoint),
        Kernels::Without(tracepoint) => !has(tracepoint),
    }
}
