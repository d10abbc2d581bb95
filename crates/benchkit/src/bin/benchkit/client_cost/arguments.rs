//! Arguments of a comparison and the result of one window.

use std::num::NonZeroUsize;
use std::time::Duration;

use clap::Args;
use logtrace_common::Variable;
use logtrace_driver::WorkloadInfo;
use logtrace_server::ServerChoice;

/// Throughput of logtrace's driver and of sysbench, and the CPU that a request takes each of them: interleaved pairs,
/// closed loop, prepared statements, the same tables.
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// Pairs of windows.
    #[arg(long, value_name = "N", default_value_t = 15, value_parser = clap::value_parser!(u16).range(1..=200))]
    pub(crate) pairs: u16,

    /// Length of each window.
    #[arg(long, value_name = "T", default_value = "4s", value_parser = humantime::parse_duration)]
    pub(crate) duration: Duration,

    /// mysql, mariadb or /path/to/mysqld: a private server of it is started.
    #[arg(long, value_name = "SERVER", default_value = "mysql")]
    pub(crate) server: ServerChoice,

    /// Connections of either client.
    #[arg(long, value_name = "N", default_value = "8")]
    pub(crate) connections: NonZeroUsize,

    /// Name of the workload in logtrace.
    #[arg(long, value_name = "NAME", default_value = "point_select", value_parser = WorkloadInfo::find)]
    pub(crate) workload: &'static WorkloadInfo,

    /// Set a variable of the server. Repeatable.
    #[arg(long = "set", value_name = "VAR=VALUE")]
    pub(crate) settings: Vec<Variable>,
}

/// Work of one client in one window.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Window {
    pub(crate) per_s: f64,
    pub(crate) cpu_us: f64,
}
