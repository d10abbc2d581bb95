//! Types of the running kernel.

use aya::Btf;
use aya_obj::btf::BtfKind;

use crate::error::TracerError;
use crate::kernel_side::reasons::reason;

/// Reads the types. They take 20 MB: [`give_back`] is for when the programs are loaded.
pub(crate) fn kernel_types() -> Result<Btf, TracerError> {
    Btf::from_sys_fs().map_err(|error| {
        TracerError(format!(
            "cannot read the kernel's type information (/sys/kernel/btf/vmlinux): {}. Tracing needs a kernel built with \
             CONFIG_DEBUG_INFO_BTF, as distributions' kernels are",
            reason(&error)
        ))
    })
}

/// Drops the types and gives their memory back to the kernel. The allocator would keep it: they have many small parts, and what
/// was made meanwhile lies between them.
pub(crate) fn give_back(types: Btf) {
    drop(types);
    #[cfg(target_env = "gnu")]
    #[expect(unsafe_code, reason = "libc has no safe function for it")]
    // SAFETY: the call takes a number, and touches no memory that is in use.
    let _ = unsafe { libc::malloc_trim(0) };
}

/// Returns whether the kernel has this tracepoint: the type of its function is in its type information
/// (include/linux/tracepoint.h, include/trace/bpf_probe.h).
pub(crate) fn has_tracepoint(types: &Btf, tracepoint: &str) -> bool {
    let function = format!("btf_trace_{tracepoint}");
    types.id_by_type_name_kind(&function, BtfKind::Typedef).is_ok()
}
