//! Options of tracing, with or without a load.

use std::time::Duration;

use clap::Args;
use humantime::format_duration;
use logtrace_common::{Detail, Sampling};
use logtrace_measure::measurement::TracingConfig;
use logtrace_tracer::RingBytes;

use crate::exit::UsageError;

#[derive(Clone, Copy, Debug, Args)]
pub(crate) struct TracingArgs {
    /// Level of detail. commit: the threads that commits wait for, but no files. io: also each system call on a file, and
    /// its waits. full: also device flushes, statements outside of commits, the leader of each commit group, and the
    /// functions that run on the CPU. Each level costs more than the one before.
    #[arg(long, value_name = "LEVEL", default_value_t = Detail::Io)]
    detail: Detail,

    /// Trace only a share of the time, in bursts of 200 ms. Use it where commits are so fast that tracing all of them
    /// would slow the server down. Requests are still measured all the time. A wait longer than a burst cannot be
    /// explained: 25%:2s has bursts of two seconds.
    #[arg(long, value_name = "P%[:BURST]", default_value_t = Sampling::ALL)]
    sample: Sampling,

    /// Save every trace record in the run directory (about 0.5 kB a commit), and of a run also its requests (56 bytes
    /// each). `logtrace join` needs them.
    #[arg(long)]
    record: bool,

    /// Size of the record buffer of each CPU, a power of two such as 64K or 16M [default: 512K to 2M, depending on the
    /// number of CPUs]. Give more if records are lost, less if memory is short.
    #[arg(long, value_name = "SIZE")]
    ring_bytes: Option<RingBytes>,
}

impl TracingArgs {
    /// Returns an option that is given and has no effect without tracing.
    pub(crate) fn needs_tracing(&self) -> Option<&'static str> {
        let given = [
            (self.detail != Detail::Io, "--detail"),
            (self.sample.has_gaps(), "--sample"),
            (self.ring_bytes.is_some(), "--ring-bytes"),
        ];
        given
            .into_iter()
            .find_map(|(is_given, option)| is_given.then_some(option))
    }

    /// Returns the configuration of the tracer for a window of `duration`, which must have room for a burst and a gap.
    pub(crate) fn config(&self, duration: Option<Duration>) -> Result<TracingConfig, UsageError> {
        let sampling = self.sample;
        let least = sampling.period();
        match duration {
            Some(duration) if sampling.has_gaps() && duration < least => Err(UsageError(format!(
                "--duration {} is too short for --sample {sampling}: give at least {}, the time of one burst and one gap",
                format_duration(duration),
                format_duration(least)
            ))),
            _ => Ok(TracingConfig {
                detail: self.detail,
                sampling,
                record: self.record,
                ring_bytes: self.ring_bytes,
            }),
        }
    }
}
