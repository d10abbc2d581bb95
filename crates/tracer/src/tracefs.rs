//! tracefs for one thread, if it is not mounted.

use std::io;
use std::path::Path;

use rustix::mount::{MountFlags, MountPropagationFlags, mount, mount_change};
use rustix::thread::{UnshareFlags, unshare_unsafe};

const TRACEFS: &str = "/sys/kernel/tracing";

/// Makes the system call tracepoints visible to the calling thread.
///
/// If tracefs is not mounted, the thread enters a mount namespace with tracefs in it. The kernel removes it when the
/// thread ends, so that nothing is left behind. If the thread can neither read nor mount it, the two tracepoints of all
/// system calls replace those of single ones. They cost more for calls that are not traced.
pub(crate) fn make_visible() -> io::Result<()> {
    if is_visible() {
        return Ok(());
    }
    #[expect(
        unsafe_code,
        reason = "rustix marks it so because other flags of the call unshare descriptors"
    )]
    // SAFETY: a new mount namespace changes what paths mean to this thread; it holds no directory handles, and
    // shares no file descriptor table with a thread that expects another namespace.
    unsafe {
        unshare_unsafe(UnshareFlags::NEWNS)?;
    }
    mount_change("/", MountPropagationFlags::PRIVATE | MountPropagationFlags::REC)?;
    mount("tracefs", TRACEFS, "tracefs", MountFlags::empty(), None)?;
    if is_visible() {
        Ok(())
    } else {
        Err(io::Error::other(
            "tracefs is mounted, but has no system call events",
        ))
    }
}

/// Returns whether the system call tracepoints are visible.
pub(crate) fn is_visible() -> bool {
    Path::new(TRACEFS)
        .join("events/syscalls/sys_enter_fsync/id")
        .exists()
}
