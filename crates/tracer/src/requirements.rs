//! Requirements of tracing, for `logtrace doctor` and before a run.

use std::fs;
use std::path::Path;

use libbpf_rs::ProgramType;

use crate::kernel_release::KernelRelease;
use crate::kernel_side::messages::heard;
use crate::stacks::kernel_symbols::KernelSymbols;
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
}

/// Checks all requirements of tracing. Loads and changes nothing.
pub fn requirements() -> Vec<Requirement> {
    let uid = rustix::process::geteuid();
    let type_information = "/sys/kernel/btf/vmlinux";
    vec![
        requirement(
            "privilege",
            uid.is_root(),
            "running as root",
            &format!("running as user {}", uid.as_raw()),
            "run it with sudo: loading BPF programs and starting a server as another user need root",
        ),
        kernel(),
        requirement(
            "kernel type information",
            Path::new(type_information).exists(),
            type_information,
            "none",
            "use a kernel built with CONFIG_DEBUG_INFO_BTF=y",
        ),
        bpf_programs(uid.is_root()),
        tracefs_there(),
        requirement(
            "kernel symbols",
            KernelSymbols::are_readable(),
            "/proc/kallsyms gives addresses",
            "/proc/kallsyms hides addresses",
            "sysctl kernel.kptr_restrict=1, and run as root",
        ),
    ]
}

/// Returns a requirement that was seen as `met` or as `unmet`.
fn requirement(name: &'static str, is_met: bool, met: &str, unmet: &str, remedy: &str) -> Requirement {
    Requirement {
        name,
        seen: if is_met { met } else { unmet }.to_owned(),
        remedy: (!is_met).then(|| remedy.to_owned()),
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

fn bpf_programs(is_root: bool) -> Requirement {
    if !is_root {
        return requirement("eBPF", false, "", "not tried: needs root", "run it with sudo");
    }
    requirement(
        "eBPF",
        heard(|| ProgramType::Tracing.is_supported()).0.unwrap_or(false),
        "tracing programs load",
        "the kernel refuses tracing programs",
        "allow bpf(2): CAP_BPF, no lockdown, no seccomp filter",
    )
}

fn tracefs_there() -> Requirement {
    let is_mounted = tracefs::is_visible();
    let supported = fs::read_to_string("/proc/filesystems").is_ok_and(|list| list.contains("tracefs"));
    requirement(
        "tracefs",
        is_mounted || supported,
        match is_mounted {
            true => "mounted",
            false => "not mounted; logtrace mounts it for itself alone",
        },
        "not in this kernel",
        "use a kernel built with CONFIG_FTRACE_SYSCALLS=y",
    )
}
