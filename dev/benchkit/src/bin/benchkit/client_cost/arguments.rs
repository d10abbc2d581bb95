//! Arguments of a comparison and the result of one window.

use std::num::NonZeroUsize;
use std::time::Duration;

use clap::{Args, ValueEnum};
use logtrace_common::Variable;
use logtrace_driver::WorkloadInfo;
use logtrace_server::ServerChoice;

/// The only workload that is compared with `mysql_async`.
pub(crate) const COMPARED: &str = "update_key";

/// Throughput of logtrace's driver and of sysbench, and the CPU that a request takes each of them: interleaved pairs,
/// closed loop, prepared statements, the same tables. Or logtrace's own client and `mysql_async`: CPU, service time and lag
/// of an open loop.
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// Client that logtrace is compared with.
    #[arg(long, value_enum, value_name = "CLIENT", default_value_t = Against::Sysbench)]
    pub(crate) against: Against,

    /// Requests a second, at Poisson arrivals: with --against mysql_async.
    #[arg(long, value_name = "R", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) rate: Option<u32>,

    /// Pairs of windows; with --against mysql_async rounds of a pair and a control.
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
    #[arg(long, value_name = "NAME", default_value = "point_select",
        default_value_if("against", "mysql_async", COMPARED), value_parser = WorkloadInfo::find)]
    pub(crate) workload: &'static WorkloadInfo,

    /// Set a variable of the server. Repeatable.
    #[arg(long = "set", value_name = "VAR=VALUE")]
    pub(crate) settings: Vec<Variable>,
}

/// Client to compare with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Against {
    /// Debian's sysbench, in a closed loop.
    Sysbench,
    /// The client library of everything that is not measured, in an open loop.
    #[value(name = "mysql_async")]
    MysqlAsync,
}

/// Work of one client in one window.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ClientWindow {
    pub(crate) per_s: f64,
    pub(crate) cpu_us: f64,
}
