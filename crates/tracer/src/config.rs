//! Configuration of a tracer: server, detail, and share of the time.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use crate::kernel_release::KernelRelease;
use crate::ring_bytes::RingBytes;
use logtrace_common::process::ProcessHandle;
use logtrace_common::{Detail, Sampling};

/// Configuration of a tracer.
#[derive(Clone, Debug)]
pub struct TracerConfig {
    /// Process of the server.
    pub process: Arc<ProcessHandle>,
    /// Size of each CPU's ring.
    pub ring_bytes: RingBytes,
    /// Detail and share of the time.
    pub extent: Extent,
    /// Whether the server has a thread pool. There a thread serves many clients, so that waits outside of the commit
    /// function belong to no client.
    pub pools_threads: bool,
    /// Records that wait for an idle CPU before the sink takes them beside the server's threads.
    pub patience: Patience,
    /// Kernel whose ways to place probes, and tracepoints, are used instead of those of the running newer one, to test them.
    pub as_on: Option<KernelRelease>,
}

/// Most records that wait until a CPU is idle: that many bytes, for that long.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Patience {
    /// Size of all records that wait.
    pub bytes: u64,
    /// Time for which the first of them waits.
    pub time: Duration,
}

impl Patience {
    /// Returns whether records of this size, of which the first have waited so long, are too much.
    pub(crate) fn is_over(self, bytes: u64, waited: Duration) -> bool {
        bytes > self.bytes || waited > self.time
    }
}

/// Half a minute of the records of two busy CPUs: a run's analysis does not slow its load down.
impl Default for Patience {
    fn default() -> Self {
        Self {
            bytes: 128 << 20,
            time: Duration::MAX,
        }
    }
}

impl TracerConfig {
    /// Returns the default configuration for a process: rings hold at least half a second of a busy CPU, and about 64
    /// MiB in all.
    pub fn new(process: impl Into<Arc<ProcessHandle>>) -> Self {
        Self {
            process: process.into(),
            ring_bytes: RingBytes::default(),
            extent: Extent::default(),
            pools_threads: false,
            patience: Patience::default(),
            as_on: None,
        }
    }
}

/// Amount of tracing. The default is the usual detail, all the time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Extent {
    /// Level of detail.
    pub detail: Detail,
    /// Share of the time that is traced.
    pub sampling: Sampling,
}

/// Options of the command line.
impl fmt::Display for Extent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { detail, sampling } = self;
        if sampling.has_gaps() {
            f.pad(&format!("--detail {detail} --sample {sampling}"))
        } else {
            f.pad(&format!("--detail {detail}"))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patience_is_over_with_its_bytes_or_its_time() {
        let patience = Patience {
            bytes: 10,
            time: Duration::from_secs(1),
        };
        assert!(!patience.is_over(10, Duration::from_secs(1)));
        assert!(patience.is_over(11, Duration::ZERO));
        assert!(patience.is_over(1, Duration::from_millis(1_001)));
        assert!(!Patience::default().is_over(1, Duration::from_secs(3_600)));
    }
}
