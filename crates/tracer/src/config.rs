//! Configuration of a tracer: server, detail, and share of the time.

use std::fmt;
use std::sync::Arc;

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
    /// Bytes of records from whose number on the sink no longer waits until a CPU is idle.
    pub patience_bytes: u64,
    /// Kernel whose ways to place probes, and tracepoints, are used instead of those of the running newer one, to test them.
    pub as_on: Option<KernelRelease>,
}

/// Half a minute of the records of two busy CPUs: a run's analysis does not slow its load down.
const PATIENCE_BYTES: u64 = 128 << 20;

impl TracerConfig {
    /// Returns the default configuration for a process: rings hold at least half a second of a busy CPU, and about 64
    /// MiB in all.
    pub fn new(process: impl Into<Arc<ProcessHandle>>) -> Self {
        Self {
            process: process.into(),
            ring_bytes: RingBytes::default(),
            extent: Extent::default(),
            pools_threads: false,
            patience_bytes: PATIENCE_BYTES,
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
