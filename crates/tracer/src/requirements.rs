//! Requirements of tracing, for `logtrace doctor` and before a run.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use crate::error::TracerError;
use crate::kernel_release::KernelRelease;
use crate::kernel_side::kernel_types::{give_back, kernel_types};
use crate::kernel_side::uprobes::Uprobes;
use crate::kernel_side::{KernelSide, Loading, Wanted};
use crate::overhead::program_runs::{ANY_CALL, ANY_CALL_AT};
use crate::probes::best_uprobes::best_uprobes;
use crate::rights::{RIGHTS, Right, SYS_ADMIN_FOR_PROBES};
use crate::stacks::kernel_symbols::KernelSymbols;
use crate::surroundings::{LOCKDOWN_REMEDY, PidNamespace, is_locked_down, own_pid_namespace};
use crate::tracefs;

/// Requirement of tracing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Requirement {
    /// Name.
    pub name: &'static str,
    /// Observed state.
    pub seen: String,
    /// Remedy, or `None` if the requirement is met.
    pub remedy: Option<String>,
    /// Whether nothing can be traced without it.
    pub required: bool,
}

/// Checks all requirements of tracing but its rights. Leaves nothing loaded and changes nothing.
pub fn requirements() -> Vec<Requirement> {
    let type_information = "/sys/kernel/btf/vmlinux";
    let mut checks = vec![
        kernel(),
        pid_namespace(),
        requirement(
            "lockdown",
            !is_locked_down(),
            "lets programs read the kernel's memory",
            "the kernel is locked down (confidentiality)",
            LOCKDOWN_REMEDY,
        ),
        requirement(
            "kernel type information",
            Path::new(type_information).exists(),
            type_information,
            "none",
            "use a kernel built with CONFIG_DEBUG_INFO_BTF=y",
        ),
    ];
    let are_held = tracing_rights()
        .iter()
        .all(|right| !right.is_required || right.is_held());
    checks.push(bpf_programs(are_held));
    checks.push(tracefs_there());
    checks.push(requirement(
        "kernel symbols",
        KernelSymbols::are_readable(),
        "/proc/kallsyms gives addresses",
        "/proc/kallsyms hides addresses",
        "run it with CAP_SYSLOG, or set sysctl kernel.kptr_restrict=0 and kernel.perf_event_paranoid=1",
    ));
    checks
}

/// Returns the rights that tracing needs or can use on this kernel.
pub fn tracing_rights() -> Vec<Right> {
    let can_try = RIGHTS.iter().all(|right| !right.is_required || right.is_held());
    let is_apart = can_try && best_uprobes() == Uprobes::Apart;
    let rights = RIGHTS.iter().map(
        |&right| match is_apart && right.name == SYS_ADMIN_FOR_PROBES.name {
            true => SYS_ADMIN_FOR_PROBES,
            false => right,
        },
    );
    rights.collect()
}

fn pid_namespace() -> Requirement {
    let namespace = own_pid_namespace();
    let seen = namespace.seen();
    requirement(
        "PID namespace",
        namespace == PidNamespace::First,
        &seen,
        &seen,
        namespace.remedy(),
    )
}

/// Returns a requirement that was seen as `met` or as `unmet`.
fn requirement(name: &'static str, is_met: bool, met: &str, unmet: &str, remedy: &str) -> Requirement {
    Requirement {
        name,
        seen: if is_met { met } else { unmet }.to_owned(),
        remedy: (!is_met).then(|| remedy.to_owned()),
        required: true,
    }
}

fn kernel() -> Requirement {
    let (running, oldest) = (KernelRelease::running(), KernelRelease::OLDEST);
    let seen = running.map(|running| format!("Linux {running}"));
    requirement(
        "kernel",
        running.is_some_and(|running| running >= oldest),
        seen.as_deref().unwrap_or_default(),
        seen.as_deref().unwrap_or("a release without a version number"),
        &format!("tracing needs Linux {oldest} or later"),
    )
}

fn bpf_programs(are_rights_held: bool) -> Requirement {
    let refused = match are_rights_held {
        true => load_one().err().map(|error| error.to_string()),
        false => Some("not tried, because rights are missing".to_owned()),
    };
    requirement(
        "eBPF",
        refused.is_none(),
        "tracing programs load",
        refused.as_deref().unwrap_or_default(),
        "allow bpf(2): CAP_BPF and CAP_PERFMON, no lockdown, no seccomp filter",
    )
}

/// Loads a program at a tracepoint of the kernel, and drops it.
fn load_one() -> Result<(), TracerError> {
    let wanted = Wanted {
        tracepoint: Some(ANY_CALL_AT),
        is_needed: true,
    };
    let types = kernel_types()?;
    let side = KernelSide::load(&Loading {
        types: &types,
        target_tgid: 0,
        pools_threads: false,
        unwind_rows: 1,
        uprobes: Uprobes::Apart,
        programs: BTreeMap::from([(ANY_CALL, wanted)]),
    });
    let loaded = side.map(drop);
    give_back(types);
    loaded
}

fn tracefs_there() -> Requirement {
    let is_mounted = tracefs::is_visible();
    let supported = fs::read_to_string("/proc/filesystems").is_ok_and(|list| list.contains("tracefs"));
    let can_mount = SYS_ADMIN_FOR_PROBES.is_held();
    let checked = requirement(
        "tracefs",
        is_mounted || supported && can_mount,
        match is_mounted {
            true => "mounted",
            false => "not mounted; logtrace mounts it for itself alone",
        },
        match supported {
            true => "not mounted or not readable",
            false => "not in this kernel",
        },
        "mount it readable for this user; without it system calls are traced at the tracepoints of all of them, which \
         costs more",
    );
    Requirement {
        required: false,
        ..checked
    }
}
