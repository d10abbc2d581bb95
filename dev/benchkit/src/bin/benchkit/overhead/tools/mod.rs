//! Other tools that watch the same server, each in pairs with nothing.

mod counters;
mod performance_schema;
pub(crate) mod same_probes;

use std::fmt;
use std::time::Duration;

use anyhow::Context;
use logtrace_common::{Detail, Sampling};
use logtrace_tracer::Extent;

use logtrace_benchkit::child::Child;
use logtrace_benchkit::pair::Attached;
use logtrace_benchkit::tracing::TracedCommits;
use logtrace_benchkit::{AttachedTracer, SharedServer, SteadyLoad, TracerPair};
use performance_schema::PerformanceSchema;
use same_probes::SameProbes;

/// A tool that can be told to watch a server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Tool {
    Logtrace(Extent),
    /// bpftrace with logtrace's probes, adding up in the kernel.
    Bpftrace,
    /// A summary of all system calls.
    PerfTrace,
    /// A count of all system calls.
    Strace,
    /// Performance Schema with all instruments and consumers.
    PerformanceSchema,
    /// The control: what the ratios of a tool that costs nothing are.
    Nothing,
}

/// All tools, in the order of the table.
pub(crate) const TOOLS: [Tool; 9] = [
    logtrace(Detail::Commit, Sampling::ALL),
    logtrace(Detail::Io, Sampling::ALL),
    logtrace(Detail::Full, Sampling::ALL),
    logtrace(Detail::Io, Sampling::TENTH),
    Tool::Bpftrace,
    Tool::PerfTrace,
    Tool::Strace,
    Tool::PerformanceSchema,
    Tool::Nothing,
];

const fn logtrace(detail: Detail, sampling: Sampling) -> Tool {
    Tool::Logtrace(Extent { detail, sampling })
}

impl Tool {
    /// Returns the length of a window: at least `wanted`, and long enough for bursts.
    pub(crate) fn window(self, wanted: Duration) -> Duration {
        match self {
            Self::Logtrace(extent) if extent.sampling.has_gaps() => wanted.max(2 * extent.sampling.period()),
            _ => wanted,
        }
    }

    /// Whether it leaves times out.
    pub(crate) fn has_gaps(self) -> bool {
        matches!(self, Self::Logtrace(extent) if extent.sampling.has_gaps())
    }

    /// Measures one pair, with the account of logtrace's tracer.
    pub(crate) fn measure(
        self,
        server: &SharedServer,
        load: &SteadyLoad,
        window: Duration,
    ) -> anyhow::Result<TracerPair<Option<TracedCommits>>> {
        let pid = server.facts().pid.context("the server is on another machine")?;
        let silent = |attach: &dyn Fn() -> anyhow::Result<Child>| TracerPair::measure(load, window, attach);
        let pair = match self {
            Self::Logtrace(extent) => {
                let pair =
                    TracerPair::measure(load, window, || AttachedTracer::attach(server.facts(), extent))?;
                return Ok(saying(&pair, Some(pair.seen.clone())));
            }
            Self::Bpftrace => {
                let probes = SameProbes::of_server(pid)?;
                silent(&|| probes.attach())
            }
            Self::PerfTrace => silent(&|| counters::perf_trace(pid)),
            Self::Strace => silent(&|| counters::strace(pid)),
            Self::Nothing => TracerPair::measure(load, window, || Ok(Nothing)),
            Self::PerformanceSchema => {
                TracerPair::measure(load, window, || PerformanceSchema::attach(server.connection()))
            }
        }?;
        Ok(saying(&pair, None))
    }
}

/// Leaves the server as it is.
struct Nothing;

impl Attached for Nothing {
    type Seen = ();

    fn begin(&mut self) -> anyhow::Result<()> {
        Ok(())
    }

    fn end(self) -> anyhow::Result<()> {
        Ok(())
    }
}

/// Replaces what the tracer of a pair reported.
fn saying<S, T>(pair: &TracerPair<S>, seen: T) -> TracerPair<T> {
    TracerPair {
        traced: pair.traced,
        untraced: pair.untraced,
        seen,
    }
}

impl fmt::Display for Tool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = match self {
            Self::Logtrace(extent) => return f.pad(&format!("logtrace {extent}")),
            Self::Bpftrace => "bpftrace, the same probes",
            Self::PerfTrace => "perf trace -s -p PID",
            Self::Strace => "strace -f -c -p PID",
            Self::PerformanceSchema => "Performance Schema, all on",
            Self::Nothing => "nothing, for control",
        };
        f.pad(name)
    }
}
