//! Loading of the BPF programs for a server, with their rings and places.

use std::num::NonZeroU32;
use std::process;

use aya::maps::{Map, MapError};
use aya::{Btf, Ebpf, EbpfLoader, include_bytes_aligned};
use aya_obj::btf::BtfKind;

use crate::config::TracerConfig;
use crate::error::{TracerError, chain};
use crate::probes::attach_points::{Placement, placements, program_path};
use crate::probes::links::Attachments;
use crate::probes::table::{InBursts, Kernels, Servers};
use crate::reader::rings::Rings;
use crate::stacks::tables::UnwindTables;

static OBJECT: &[u8] = include_bytes_aligned!(concat!(env!("OUT_DIR"), "/logtrace.bpf.o"));

/// Loads the object for the process `pid`, creates its rings, and finds the places of the probes in the configuration.
/// Attaches nothing.
pub(crate) fn load(
    pid: NonZeroU32,
    config: &TracerConfig,
    unwind: &UnwindTables,
) -> Result<(Ebpf, Rings, Attachments), TracerError> {
    let mut placements = placements(&program_path(pid.get()))?;
    let btf = Btf::from_sys_fs().map_err(|error| {
        TracerError(format!(
            "cannot read the kernel's type information (/sys/kernel/btf/vmlinux): {error}. Tracing needs a kernel \
             built with CONFIG_DEBUG_INFO_BTF, as distributions' kernels are"
        ))
    })?;
    placements.retain(|placement| is_wanted(placement, config) && is_for_kernel(placement, config, &btf));
    let target = pid.get();
    let mut bpf = EbpfLoader::new()
        .btf(Some(&btf))
        .override_global("target_tgid", &target, true)
        .override_global("own_tgid", &process::id(), true)
        .map_max_entries("unwind_rows", unwind.row_count())
        .load(OBJECT)
        .map_err(|error| TracerError::load(chain(&error)))?;
    unwind.fill(&mut bpf)?;
    let rings = Rings::new(&mut bpf, config.ring_bytes.get())?;
    Ok((bpf, rings, Attachments::new(pid, btf, placements)))
}

fn is_wanted(placement: &Placement, config: &TracerConfig) -> bool {
    let probe = placement.probe;
    let by_threads = !matches!(probe.servers, Servers::WithThreads(_)) || !config.pools_threads;
    let has_its_time = match probe.in_bursts {
        InBursts::Attached | InBursts::Stays => true,
        InBursts::Replaced => !config.extent.sampling.has_gaps(),
        InBursts::Only => config.extent.sampling.has_gaps(),
    };
    placement.is_for_server && by_threads && probe.detail <= config.extent.detail && has_its_time
}

fn is_for_kernel(placement: &Placement, config: &TracerConfig, btf: &Btf) -> bool {
    let has = |tracepoint| !config.as_on_older_kernels && has_tracepoint(btf, tracepoint);
    match placement.probe.kernels {
        Kernels::All => true,
        Kernels::With(tracepoint) => has(tracepoint),
        Kernels::Without(tracepoint) => !has(tracepoint),
    }
}

/// Returns whether the kernel has this tracepoint: the type of its function is in its type information
/// (include/linux/tracepoint.h, include/trace/bpf_probe.h).
fn has_tracepoint(btf: &Btf, tracepoint: &str) -> bool {
    let function = format!("btf_trace_{tracepoint}");
    btf.id_by_type_name_kind(&function, BtfKind::Typedef).is_ok()
}

/// Takes a map of the object.
pub(crate) fn take<M: TryFrom<Map, Error = MapError>>(bpf: &mut Ebpf, name: &str) -> Result<M, TracerError> {
    let map = bpf.take_map(name);
    let map = map.ok_or_else(|| TracerError::load(format_args!("no map {name} in the object")))?;
    M::try_from(map).map_err(TracerError::load)
}
