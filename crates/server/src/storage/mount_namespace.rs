//! Mounts that nobody else sees and that go with logtrace.

use std::cell::Cell;
use std::io;

use rustix::io::Errno;
use rustix::mount::{MountPropagationFlags, mount_change};
use rustix::thread::{UnshareFlags, unshare_unsafe};
use thiserror::Error;

/// Says that the calling thread, and those that it starts from now on, have a mount namespace of their own.
///
/// The kernel unmounts what is mounted in it when the last process in it ends, however that comes about
/// (mount_namespaces(7)). Others neither see these mounts nor can be disturbed by them; what others mount is seen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PrivateMounts(());

thread_local! {
    /// Whether this thread has entered one.
    static ENTERED: Cell<bool> = const { Cell::new(false) };
}

/// Why there is no such namespace.
#[derive(Debug, Error)]
#[error("cannot have mounts of its own (a mount namespace): {source}{}", remedy(.source))]
pub struct PrivateMountsError {
    /// What the system said.
    source: io::Error,
}

impl PrivateMounts {
    /// Enters a new namespace, when this thread has not entered one yet. Threads that were started before stay outside:
    /// call it early, from the main thread.
    pub fn enter() -> Result<Self, PrivateMountsError> {
        if !ENTERED.get() {
            enter().map_err(|source| PrivateMountsError {
                source: source.into(),
            })?;
            ENTERED.set(true);
        }
        Ok(Self(()))
    }
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

fn remedy(source: &io::Error) -> &'static str {
    match source.kind() {
        io::ErrorKind::PermissionDenied => ". Run logtrace as root, in a container with CAP_SYS_ADMIN",
        _ => "",
    }
}
