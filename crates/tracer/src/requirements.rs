//! Requirements of tracing, for `logtrace doctor` and before a run.

use std::fs;
use std::path::Path;

use aya::features;

use crate::kernel_release::KernelRelease;
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
    vec![
        privilege(),
        kernel(),
        type_information(),
        bpf_programs(),
        tracefs_there(),
        kernel_symbols(),
    ]
}

fn met(name: &'static str, seen: impl Into<String>) -> Requirement {
    Requirement {
        name,
        seen: seen.into(),
        remedy: None,
    }
}

fn unmet(name: &'static str, seen: impl Into<String>, remedy: &str) -> Requirement {
    Requirement {
        name,
        seen: seen.into(),
        remedy: Some(remedy.into()),
    }
}

fn privilege() -> Requirement {
    let uid = rustix::process::geteuid();
    if uid.is_root() {
        met("privilege", "running as root")
    } else {
        unmet(
            "privilege",
            format!("running as user {}", uid.as_raw()),
            "run it with sudo: loading BPF programs and starting a server as another user need root",
        )
    }
}

fn kernel() -> Requirement {
    let oldest = KernelRelease::OLDEST;
    match KernelRelease::running() {
        Some(running) if running >= oldest => met("kernel", format!("Linux {running}")),
        Some(running) => unmet(
            "kernel",
            format!("Linux {running}"),
            &format!("tracing needs Linux {oldest} or later"),
        ),
        None => unmet(
            "kernel",
            "a release without a version number",
            "tracing needs Linux",
        ),
    }
}

fn type_information() -> Requirement {
    let path = "/sys/kernel/btf/vmlinux";
    if Path::new(path).exists() {
        met("kernel type information", path)
    } else {
        unmet(
            "kernel type information",
            "none",
            "use a kernel built with CONFIG_DEBUG_INFO_BTF=y",
        )
    }
}

fn bpf_programs() -> Requirement {
    if !rustix::process::geteuid().is_root() {
        return unmet("eBPF", "not tried: needs root", "run it with sudo");
    }
    if features().btf().is_some() {
        met("eBPF", "programs and type information load")
    } else {
        unmet(
            "eBPF",
            "the kernel refuses BPF type information",
            "allow bpf(2): CAP_BPF, no lockdown, no seccomp filter",
        )
    }
}

fn tracefs_there() -> Requirement {
    let supported = fs::read_to_string("/proc/filesystems").is_ok_and(|list| list.contains("tracefs"));
    match (tracefs::is_visible(), supported) {
        (true, _) => met("tracefs", "mounted"),
        (false, true) => met("tracefs", "not mounted; logtrace mounts it for itself alone"),
        (false, false) => unmet(
            "tracefs",
            "not in this kernel",
            "use a kernel built with CONFIG_FTRACE_SYSCALLS=y",
        ),
    }
}

fn kernel_symbols() -> Requirement {
    let named = aya::util::kernel_symbols().is_ok_and(|symbols| symbols.keys().any(|&address| address != 0));
    if named {
        met("kernel symbols", "/proc/kallsyms gives addresses")
    } else {
        unmet(
            "kernel symbols",
            "/proc/kallsyms hides addresses",
            "sysctl kernel.kptr_restrict=1, and run as root",
        )
    }
}
