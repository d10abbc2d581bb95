//! Probes on their way out.

use std::thread::{self, JoinHandle};

use crate::probes::links::Attachments;

/// Probes that do nothing any more and are being detached, which takes the kernel some 50 ms for each uprobe, one after
/// the other (`perf_uprobe_destroy` waits for all CPUs under a lock). Dropping it waits until they are gone.
#[derive(Debug)]
#[must_use = "dropping it waits until the probes are gone"]
pub struct Detaching(Option<JoinHandle<()>>);

impl Detaching {
    /// On a thread of its own, or at once where there is none to be had.
    pub(crate) fn begin(attachments: Attachments) -> Self {
        let thread = thread::Builder::new().name("logtrace-detach".into());
        Self(thread.spawn(move || drop(attachments)).ok())
    }
}

impl Drop for Detaching {
    fn drop(&mut self) {
        if let Some(thread) = self.0.take() {
            // It only drops things.
            let _ = thread.join();
        }
    }
}
