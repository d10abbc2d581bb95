//! Arguments of `logtrace run`.

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use logtrace_common::Variable;
use logtrace_driver::{Arrivals, Keys, RateArg};
use logtrace_measure::runs::RUNS;

use super::check::{duration, whole_seconds};
use super::cpus::CpusArgs;
use super::home::HomeArgs;
use super::login::LoginArgs;
use super::shown::ShownArgs;
use super::storage::StorageArgs;
use super::tracing::TracingArgs;
use super::workload::WorkloadArgs;

#[derive(Debug, Args)]
#[command(after_long_help = "\
Examples:
  sudo logtrace run --workload update_key
      start a private server, measure its capacity, then run at 70 % of it for 30 s
  sudo logtrace run --workload update_key --rate 300/s --duration 10s --server mariadb
  sudo logtrace run --rate 100..2000/s:100 --duration 60s
      raise the rate in twenty steps of 3 s; see --schedule for ramps and bursts
  sudo logtrace run --workload oltp_read_write --point-selects 2 --range-size 20 --protocol text
      run a workload of sysbench, with sysbench's options
  sudo logtrace run --workload tpcc --warehouses 10 --rate 200/s --check
      run a TPC-C-like workload, and check its tables before and after
  sudo logtrace run --workload transfer.toml --max
      run your own SQL from a file
  sudo logtrace run --fs xfs --rate 300/s
      give the server an XFS file system of its own, removed afterwards
  sudo logtrace run --place redo=/mnt/fast --place binlog=/mnt/large
  sudo logtrace run --max --cpus server=0-5 client=6,7
      keep the load and the tracer off the CPUs of the server
  sudo logtrace run --workload insert --max --set sync_binlog=0 --set innodb_flush_log_at_trx_commit=2
  sudo logtrace run --max --set sync_binlog=0 --set innodb_flush_log_at_trx_commit=2 --sample 10%
      trace fast commits during a tenth of the time, in bursts
  sudo --preserve-env=LOGTRACE_PASSWORD logtrace run --server mysql://bench@localhost/
  logtrace run --server mysql://bench@db1.example.org/ --password-file bench.pw --rate 300/s --record
      load a server on another machine, while `logtrace trace --record` runs there; see `logtrace join`

The tables are created in a database named logtrace, which is removed after the run (see --keep-tables).
A database of that name that logtrace did not create is never touched.")]
pub(crate) struct RunArgs {
    /// Request rate: requests a second (500/s), or a share of the capacity, which is measured first (70%). A range raises
    /// or lowers it over the window: 100..5000/s steadily, 100..5000/s:500 in steps of 500 that last equally long,
    /// 10..120%:10 likewise.
    #[arg(
        long,
        value_name = "R/s|P%",
        default_value = "70%",
        allow_hyphen_values = true
    )]
    pub(crate) rate: RateArg,

    /// File with the rates over time. Each line is DURATION RATE, or DURATION RATE..RATE for a ramp, in requests a second.
    /// A line `repeat N` runs the lines since the previous repeat N times. The window is as long as the schedule.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["rate", "max"])]
    pub(crate) schedule: Option<PathBuf>,

    /// Replay the arrival times of an earlier run (its directory), or of a file with one time a line, in nanoseconds from
    /// the start. With the same --seed the requests also have the same keys. The window is as long as the arrivals.
    #[arg(long, value_name = "RUN_DIR|FILE", conflicts_with_all = ["rate", "max", "schedule", "arrivals"])]
    pub(crate) replay: Option<PathBuf>,

    /// Closed loop: each connection sends its next request as soon as the previous one is done.
    #[arg(long, conflicts_with = "rate")]
    pub(crate) max: bool,

    /// Distribution of arrivals in an open loop: poisson or uniform.
    #[arg(long, value_name = "HOW", default_value = "poisson")]
    pub(crate) arrivals: Arrivals,

    /// Number of connections [default: in an open loop as many as requests are due in 100 ms, 16 to 512, but at most half of
    /// max_connections of a running server; 8 in a closed loop and to measure the capacity].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=10_000))]
    pub(crate) connections: Option<u32>,

    /// Length of the measured window [default: 30s, or the length of --schedule or --replay; a shorter one cuts these].
    #[arg(long, value_name = "T", value_parser = duration)]
    pub(crate) duration: Option<Duration>,

    /// Write a line to stderr after each interval of this length: requests a second, percentiles of the response time, the
    /// backlog, and the cause that took the most of the commits' time.
    #[arg(long, value_name = "T", value_parser = whole_seconds, conflicts_with = "quiet")]
    pub(crate) report_interval: Option<u64>,

    /// Length of the load before the measured window. Its requests are finished before the window begins. The rate is the
    /// one at the beginning of the window.
    #[arg(long, value_name = "T", default_value = "3s", value_parser = duration)]
    pub(crate) warmup: Duration,

    /// Seed of arrivals, keys and data. The same seed repeats all three.
    #[arg(long, value_name = "S", default_value_t = 1)]
    pub(crate) seed: u64,

    /// Number of tables [default: 4].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=10_000))]
    pub(crate) tables: Option<u32>,

    /// Rows in each table [default: 25000].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=2_147_483_647))]
    pub(crate) rows: Option<u32>,

    /// Distribution of keys, computed as sysbench does: uniform, special (sysbench 1.0's default), gaussian, pareto or
    /// zipfian. sysbench's parameters may follow: zipfian:1.2, pareto:0.3, gaussian:6, special:5,80 [default: uniform].
    #[arg(long, value_name = "HOW")]
    pub(crate) keys: Option<Keys>,

    /// Server to measure: mysql, mariadb, a path to mysqld, or mysql://USER@HOST/ for a running server. A server on
    /// another machine is not traced: trace it there, and put both together with `logtrace join`. Default: a private MySQL,
    /// or a private MariaDB if no MySQL is installed. Options follow a question mark, with & between them: socket=PATH,
    /// ssl-mode=MODE and ssl-ca=FILE as in the mysql client, get-server-public-key=true, server-user=NAME.
    // A text: clap's errors repeat a value, and an address may hold a password by mistake.
    #[arg(long, value_name = "SERVER")]
    pub(crate) server: Option<String>,

    #[command(flatten)]
    pub(crate) login: LoginArgs,

    /// Set a variable of the server. A value that the server does not accept as given is an error. Repeatable.
    #[arg(long = "set", value_name = "VAR=VALUE")]
    pub(crate) settings: Vec<Variable>,

    /// Set a session variable in each connection of the load, such as sql_log_bin=0. Repeatable.
    #[arg(long = "session", value_name = "VAR=VALUE")]
    pub(crate) session: Vec<Variable>,

    /// Keep the tables on a running server. The next run with the same --tables, --rows, --keys and --seed uses them
    /// again. Without this option they are removed.
    #[arg(long)]
    pub(crate) keep_tables: bool,

    #[command(flatten)]
    pub(crate) storage: StorageArgs,

    #[command(flatten)]
    pub(crate) cpus: CpusArgs,

    /// Spin on the CPU for the last microseconds before a request is due. Gives the smallest lag, and needs a free core.
    /// `logtrace pace` shows the gain on this machine.
    #[arg(long, conflicts_with = "max")]
    pub(crate) spin: bool,

    /// Longest time that a request may take after it is sent. A request that takes longer has failed, and its connection
    /// is opened again. Default: no limit.
    #[arg(long, value_name = "T", value_parser = duration)]
    pub(crate) deadline: Option<Duration>,

    /// Time to keep reconnecting after a connection is lost [default: 30s for a running server, 0s for a private one,
    /// which does not come back].
    #[arg(long, value_name = "T", value_parser = duration)]
    pub(crate) reconnect: Option<Duration>,

    /// Measure without tracing. The report then has no causes.
    #[arg(long, conflicts_with_all = ["detail", "sample", "ring_bytes"])]
    pub(crate) no_trace: bool,

    #[command(flatten)]
    pub(crate) tracing: TracingArgs,

    #[command(flatten)]
    pub(crate) shown: ShownArgs,

    /// Directory in which run directories are created.
    #[arg(long, value_name = "DIR", default_value = RUNS)]
    pub(crate) out: PathBuf,

    #[command(flatten)]
    pub(crate) home: HomeArgs,

    #[command(flatten)]
    pub(crate) workload: WorkloadArgs,
}
