//! Probes that are being detached.

use std::thread::{self, JoinHandle};

use crate::probes::Attachments;

/// Probes that are disabled and being detached. Before Linux 6.6 the kernel needs some 50 ms for each uprobe, one after the other
/// (`perf_uprobe_destroy` waits for all CPUs under a lock); every kernel detaches the tracepoints of system calls so. Results
/// are put together meanwhile, or the server of a study's next turn is prepared. Dropping this waits until they are
/// detached: two sets of probes are never attached at the same time.
#[derive(Debug)]
#[must_use = "dropping it waits until the probes are gone"]
pub struct Detaching(Option<JoinHandle<()>>);

impl Detaching {
    /// Starts to detach on a thread of its own, or detaches at once if there can be no thread.
    pub(crate) fn begin(attachments: Attachments) -> Self {
        let thread = thread::Builder::new().name("logtrace-detach".into());
        Self(thread.spawn(move || drop(attachments)).ok())
    }
}

impl Drop for Detaching {
    fn drop(&mut self) {
        if let Some(thread) = self.0.take() {
            // The thread only drops things.
            let _ = thread.join();
        }
    }
}
