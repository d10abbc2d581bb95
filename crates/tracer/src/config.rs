//! What is traced, how much of it, and how much of the time.

use std::fmt;

use crate::ring_bytes::RingBytes;
use logtrace_common::{Detail, Sampling};

/// What to trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TracerConfig {
    /// The server's process.
    pub pid: u32,
    /// Size of each CPU's ring.
    pub ring_bytes: RingBytes,
    /// How much.
    pub extent: Extent,
    /// Whether the server's threads serve whatever client has something to do, so that what a client waits for outside
    /// of a commit's function is no thread's.
    pub pools_threads: bool,
}

impl TracerConfig {
    /// Traces a process in the usual detail, with rings that hold half a second of busy CPUs or more, and 64 MiB in
    /// all.
    pub fn new(pid: u32) -> Self {
        Self {
            pid,
            ring_bytes: RingBytes::default(),
            extent: Extent::default(),
            pools_threads: false,
        }
    }
}

/// What a tracer is asked to see. By default everything that usually matters, all the time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Extent {
    /// How much is seen of a commit.
    pub detail: Detail,
    /// The share of the time in which anything is seen.
    pub sampling: Sampling,
}

/// As it is typed.
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
