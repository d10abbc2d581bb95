//! Reasons why a server cannot be traced.

use std::io;
use std::path::PathBuf;

use thiserror::Error;

/// Reason why a server cannot be traced, with a remedy.
#[derive(Debug, Error)]
pub enum TracerError {
    /// Program of the process that cannot be read.
    #[error("cannot read the server's program {path} (is the server still running?)")]
    Program {
        /// Path of the program.
        path: PathBuf,
        /// Error of the system.
        source: io::Error,
    },
    /// Program that is not an ELF file.
    #[error("cannot read the symbols of the server's program: {0}")]
    Elf(object::Error),
    /// Function that is missing among the symbols.
    #[error(
        "the server's program has no symbol {function}: it is stripped, or of a version that logtrace does not \
         know. Use a build that exports its symbols (Debian's and the vendors' own do), or measure without causes: \
         logtrace run --no-trace"
    )]
    Symbol {
        /// Prefix of the demangled name.
        function: String,
    },
    /// Function without the call that the probe needs.
    #[error(
        "{function} of the server's program makes no direct call of {callee}: the compiler placed it elsewhere. \
         Use another build of the server, or measure without causes: logtrace run --no-trace"
    )]
    CallSite {
        /// Prefix of the demangled name of the caller.
        function: String,
        /// Prefix of the demangled name of the function that is not called.
        callee: String,
    },
    /// Kernel without type information.
    #[error(
        "cannot read the kernel's type information (/sys/kernel/btf/vmlinux): {0}. Tracing needs a kernel built \
         with CONFIG_DEBUG_INFO_BTF, as distributions' kernels are"
    )]
    Btf(String),
    /// Mount of tracefs that failed.
    #[error("cannot mount tracefs for the system call tracepoints: {0}. Tracing needs root (CAP_SYS_ADMIN)")]
    Tracefs(io::Error),
    /// Object that the kernel refused.
    #[error("the kernel refused the BPF object: {0}. Tracing needs root and Linux 5.18 or later")]
    Load(String),
    /// Probe that cannot be attached.
    #[error("cannot attach the probe {probe}: {reason}. `logtrace doctor` tells what this machine allows")]
    Attach {
        /// Name of the probe.
        probe: &'static str,
        /// Error of the kernel or the loader.
        reason: String,
    },
    /// Thread of the tracer that did not start or ended early.
    #[error("the reading thread of the tracer failed: {0}")]
    Thread(String),
}

/// Returns an error followed by its causes, in one line.
pub(crate) fn chain(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(cause) = source {
        text.push_str(": ");
        text.push_str(&cause.to_string());
        source = cause.source();
    }
    text
}
