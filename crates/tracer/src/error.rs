//! Reasons why a server cannot be traced.

use std::fmt::Display;
use std::io;

use thiserror::Error;

/// Reason why a server cannot be traced, with a remedy.
#[derive(Debug, Error)]
#[error("{0}")]
pub struct TracerError(pub(crate) String);

impl TracerError {
    /// Program of a server that is none, or whose symbols are damaged.
    pub(crate) fn unreadable(reason: impl Display) -> Self {
        Self(format!(
            "cannot read the symbols of the server's program: {reason}"
        ))
    }

    /// Process that ended or executed another program.
    pub(crate) fn process(reason: impl Display) -> Self {
        Self(reason.to_string())
    }

    /// Kernel that refused the object.
    pub(crate) fn load(reason: impl Display) -> Self {
        Self(format!(
            "the kernel refused the BPF object: {reason}. Tracing needs root and Linux 5.10 or later"
        ))
    }

    /// List of CPUs that cannot be read.
    pub(crate) fn no_cpus(error: &io::Error) -> Self {
        Self(format!(
            "cannot read which CPUs are online (/sys/devices/system/cpu/online): {error}. Each CPU has a ring. In a \
             container, mount /sys/devices of the host"
        ))
    }

    /// Rings that do not fit into the memory of the machine, or of the control group.
    pub(crate) fn no_memory(bytes: u32, cpus: usize) -> Self {
        let all = u64::from(bytes) * cpus as u64 / 1024;
        Self(format!(
            "there is no memory for the tracer's rings: {cpus} CPUs with {} KiB each are {all} KiB. Give smaller ones with \
             --ring-bytes (64K, for example), or more memory to the control group of logtrace",
            bytes / 1024
        ))
    }

    /// Thread of the tracer that did not start or ended early.
    pub(crate) fn thread(reason: impl Display) -> Self {
        Self(format!("the reading thread of the tracer failed: {reason}"))
    }
}
