//! Why a server cannot be traced.

use std::io;
use std::path::PathBuf;

use thiserror::Error;

/// Why a server cannot be traced, and what to do.
#[derive(Debug, Error)]
pub enum TracerError {
    /// The program of the process could not be read.
    #[error("cannot read the server's program {path} (is the server still running?)")]
    Program {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The program is not an ELF file.
    #[error("cannot read the symbols of the server's program: {0}")]
    Elf(object::Error),
    /// A function is not among the program's symbols.
    #[error(
        "the server's program has no symbol {function}: it is stripped, or of a version that logtrace does not \
         know. Use a build that exports its symbols (Debian's and the vendors' own do), or measure without causes: \
         logtrace run --no-trace"
    )]
    Symbol {
        /// Prefix of the demangled name.
        function: String,
    },
    /// A function does not make the call that the probe sits on.
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
    /// The kernel has no type information.
    #[error(
        "cannot read the kernel's type information (/sys/kernel/btf/vmlinux): {0}. Tracing needs a kernel built \
         with CONFIG_DEBUG_INFO_BTF, as distributions' kernels are"
    )]
    Btf(String),
    /// tracefs could not be mounted.
    #[error("cannot mount tracefs for the system call tracepoints: {0}. Tracing needs root (CAP_SYS_ADMIN)")]
    Tracefs(io::Error),
    /// The kernel refused the programs.
    #[error("the kernel refused the BPF object: {0}. Tracing needs root and Linux 5.18 or later")]
    Load(String),
    /// A probe could not be attached.
    #[error("cannot attach the probe {probe}: {reason}. `logtrace doctor` tells what this machine allows")]
    Attach {
        /// The probe's name.
        probe: &'static str,
        /// What the kernel or the loader said.
        reason: String,
    },
    /// The reading thread could not be started, or ended before its time.
    #[error("the reading thread of the tracer failed: {0}")]
    Thread(String),
}

/// An error with its causes, in one line.
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
