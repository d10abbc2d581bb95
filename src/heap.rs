//! Memory that is freed goes back to the system.

#[cfg(target_env = "gnu")]
use std::ffi::c_int;

/// Size from which on a block has pages of its own, in bytes.
#[cfg(target_env = "gnu")]
const LARGE: c_int = 256 << 10;

/// Makes large blocks go back to the system when they are freed. Without this, glibc raises the size with each large block that
/// is freed (up to 32 MiB, malloc/malloc.c, `mp_.mmap_threshold`), and what a busy time needed stays: a trace of weeks is
/// as large as its busiest minute.
pub(crate) fn return_large_blocks() {
    #[cfg(target_env = "gnu")]
    #[expect(unsafe_code, reason = "the C library's settings have no safe form")]
    // SAFETY: the call changes a setting of the C library. It is made before any other thread starts.
    unsafe {
        libc::mallopt(libc::M_MMAP_THRESHOLD, LARGE);
    }
}
