//! File descriptors that the runtime waits for.

use std::io;
use std::os::fd::OwnedFd;

use tokio::io::Interest;
use tokio::io::unix::AsyncFd;

/// Registers a descriptor with the runtime for `interest` only.
#[expect(
    unsafe_code,
    reason = "tokio has no safe way to wait for a descriptor of a kind that it does not know"
)]
pub(crate) fn register(descriptor: OwnedFd, interest: Interest) -> io::Result<AsyncFd<OwnedFd>> {
    // SAFETY: an OwnedFd is open for as long as it lives and always is the same descriptor; the AsyncFd owns it,
    // and nothing here takes it out again.
    let registered = unsafe { AsyncFd::register_with_interest(descriptor, interest) };
    Ok(registered?)
}
