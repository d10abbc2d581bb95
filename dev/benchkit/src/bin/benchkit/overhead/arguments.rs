//! Arguments of the overhead benchmark.

use std::num::NonZeroUsize;
use std::time::Duration;

use clap::Args;
use logtrace_common::{Detail, Sampling, Variable};
use logtrace_driver::{Arrivals, Pace};
use logtrace_server::ServerChoice;
use logtrace_tracer::Extent;

use logtrace_benchkit::CONNECTIONS;

/// Throughput and CPU time of a server with the tracer, to those without it: interleaved pairs under one load of
/// update_key.
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// Compare with other tools: one table of bpftrace, perf trace, strace, Performance Schema, and logtrace in each
    /// detail.
    #[arg(long, conflicts_with = "detail")]
    pub(crate) tools: bool,

    /// With --tools, only those whose name has this text in it.
    #[arg(long, value_name = "TEXT", requires = "tools", default_value = "")]
    pub(crate) only: Vec<String>,

    /// Pairs of windows; with --tools of each tool.
    #[arg(long, value_name = "N", default_value_t = 30, value_parser = clap::value_parser!(u16).range(1..=200))]
    pub(crate) pairs: u16,

    /// Length of each window.
    #[arg(long, value_name = "T", default_value = "1s", value_parser = humantime::parse_duration)]
    pub(crate) duration: Duration,

    /// mysql, mariadb or /path/to/mysqld: a private server of it is started.
    #[arg(long, value_name = "SERVER", default_value = "mysql")]
    pub(crate) server: ServerChoice,

    /// Connections of the load. The server takes 151 or so: more need --set max_connections=N.
    #[arg(long, value_name = "N", default_value_t = CONNECTIONS)]
    pub(crate) connections: NonZeroUsize,

    /// Requests a second. Without it, each connection sends its next request as soon as the last one is answered.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) rate: Option<u32>,

    /// Level of detail of tracing: commit, io or full.
    #[arg(long, value_name = "LEVEL", default_value_t = Detail::Io)]
    pub(crate) detail: Detail,

    /// Trace only a part of the time, in bursts of 200 ms: windows should hold several.
    #[arg(long, value_name = "P%", default_value_t = Sampling::ALL, conflicts_with = "tools")]
    pub(crate) sample: Sampling,

    /// Set a variable of the server. Repeatable.
    #[arg(long = "set", value_name = "VAR=VALUE")]
    pub(crate) settings: Vec<Variable>,
}

impl Arguments {
    /// Pace of the load.
    pub(crate) fn pace(&self) -> Pace {
        self.rate.map_or(Pace::Closed, |rate| Pace::Open {
            rate_per_s: rate.into(),
            arrivals: Arrivals::Poisson,
        })
    }

    /// Extent of tracing.
    pub(crate) fn extent(&self) -> Extent {
        Extent {
            detail: self.detail,
            sampling: self.sample,
        }
    }
}
