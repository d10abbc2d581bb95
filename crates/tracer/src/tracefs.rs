//! tracefs where it is not mounted, for one thread alone.

use std::io;
use std::path::Path;

use rustix::mount::{MountFlags, MountPropagationFlags, mount, mount_change};
use rustix::thread::{UnshareFlags, unshare_unsafe};

const TRACEFS: &str = "/sys/kernel/tracing";

/// Makes sure that the calling thread sees the system call tracepoints.
///
/// Where tracefs is not mounted, the thread gets a mount namespace of its own with tracefs in it: nothing is left
/// behind when the thread ends, however it ends.
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

/// Whether the system call tracepoints can be seen.
pub(crate) fn is_visible() -> bool {
    Path::new(TRACEFS)
        .join("events/syscalls/sys_enter_fsync/id")
        .exists()
}
