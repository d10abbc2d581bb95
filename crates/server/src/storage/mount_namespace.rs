//! Mount namespace of logtrace, which ends with it.

use std::cell::Cell;

use rustix::io::Errno;
use rustix::mount::{MountPropagationFlags, mount_change};
use rustix::thread::{UnshareFlags, unshare_unsafe};

use crate::error::ServerError;

thread_local! {
    /// Whether this thread has entered a mount namespace.
    static ENTERED: Cell<bool> = const { Cell::new(false) };
}

/// Enters a mount namespace of logtrace's own, if the calling thread has not entered one yet. Threads that it starts later
/// are in the namespace too. Threads that were started before stay outside, so call this early, from the main thread.
///
/// The kernel unmounts what is mounted in the namespace when its last process ends, even if that is killed
/// (mount_namespaces(7)). Other processes do not see these mounts. Mounts that others make are seen here.
pub fn enter_mount_namespace() -> Result<(), ServerError> {
    if !ENTERED.get() {
        enter().map_err(|error| {
            let remedy = match error {
                Errno::ACCESS | Errno::PERM => " (run logtrace as root, in a container with CAP_SYS_ADMIN)",
                _ => "",
            };
            anyhow::Error::from(error).context(format!("cannot make a mount namespace{remedy}"))
        })?;
        ENTERED.set(true);
    }
    Ok(())
}

fn enter() -> Result<(), Errno> {
    #[expect(
        unsafe_code,
        reason = "rustix marks it so because other flags of the call unshare descriptors"
    )]
    // SAFETY: a new mount namespace changes what paths mean to this thread, to the same as before at first; the
    // table of file descriptors stays shared.
    unsafe {
        unshare_unsafe(UnshareFlags::NEWNS)?;
    }
    // Downstream: a disk that others unmount is not kept busy here.
    mount_change(
        "/",
        MountPropagationFlags::DOWNSTREAM | MountPropagationFlags::REC,
    )
}
