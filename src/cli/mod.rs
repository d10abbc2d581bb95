//! What can be typed. Types of clap only: the commands turn them into checked configurations.

use std::path::PathBuf;
use std::time::Duration;

use clap::{ArgGroup, Args, Parser, Subcommand};
use logtrace_common::{Detail, Sampling};
use logtrace_driver::{Arrivals, Keys, Offer, SessionVariable};
use logtrace_report::render::Format;
use logtrace_server::{Home, ImageKind, ImageSize, Placement, Setting};
use logtrace_tracer::RingBytes;

pub(crate) use self::study::{StudyArgs, StudyCommand, StudyExtentArgs, StudyRunArgs, StudyShowArgs};
use self::workload::WorkloadArgs;
pub(crate) use self::workload::WorkloadChoice;

mod study;
mod workload;

/// Measures MySQL and MariaDB under load, and charges every nanosecond of every commit to what it waited for.
#[derive(Debug, Parser)]
#[command(
    name = "logtrace",
    version,
    max_term_width = 100,
    after_help = "\
Exit codes: 0 measured; 1 could not measure; 2 wrong usage; 3 measured, but the run is marked degraded."
)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Put a server under load, trace it, and explain its commits.
    Run(Box<RunArgs>),
    /// Trace a server that others put under load, and explain its commits.
    Trace(TraceArgs),
    /// Measure a server under many settings, in turns, and tabulate what that comes to and why.
    Study(Box<StudyArgs>),
    /// Render a run directory again. Needs no root.
    Report(ReportArgs),
    /// Tell what works on this machine, what does not, and what to do.
    Doctor(DoctorArgs),
    /// List the workloads.
    Workloads,
    /// Measure how exactly this machine can hold a rate, by way of waiting. Needs no root and no server.
    Pace(PaceArgs),
}

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  logtrace pace
      a minute; run it again with the load on the machine that a run would have

bare timer: a thread that does nothing but wait for a timerfd, the best there is without spinning
pacer: what run does, a timerfd in the event loop that sends; spinning: the same with --spin
tokio timer: what most load generators in Rust do")]
pub(crate) struct PaceArgs {
    /// Length of a turn; each way of waiting gets three at each rate.
    #[arg(long, value_name = "T", default_value = "1s", value_parser = duration)]
    pub(crate) duration: Duration,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  sudo logtrace run --workload update_key
      a private server, its capacity measured, then 70 % of it for 30 s
  sudo logtrace run --workload update_key --rate 300/s --duration 10s --server mariadb
  sudo logtrace run --rate 100..2000/s:100 --duration 60s
      twenty steps of 3 s; --schedule FILE for ramps and bursts
  sudo logtrace run --workload oltp_read_write --point-selects 2 --range-size 20 --protocol text
      a workload by sysbench's name, with sysbench's options
  sudo logtrace run --workload tpcc --warehouses 10 --rate 200/s --check
      a TPC-C-like workload, its tables checked before and after
  sudo logtrace run --workload transfer.toml --max
      SQL of your own, from a file
  sudo logtrace run --fs xfs --rate 300/s
      the server on an XFS of its own, in a file that is gone afterwards
  sudo logtrace run --place redo=/mnt/fast --place binlog=/mnt/large
  sudo logtrace run --workload insert --max --set sync_binlog=0 --set innodb_flush_log_at_trx_commit=2
  sudo logtrace run --max --set sync_binlog=0 --set innodb_flush_log_at_trx_commit=2 --sample 10%
      commits too fast to trace each of them: a tenth of the time, in bursts
  sudo LOGTRACE_PASSWORD=... logtrace run --server 'mysql://bench@localhost/?socket=/run/mysqld/mysqld.sock'

The tables are made in a database of their own (logtrace), which is removed afterwards (but see
--keep-tables); a database of that name that logtrace did not make is never touched.")]
pub(crate) struct RunArgs {
    /// Requests a second (500/s), or a share of what a short closed loop reaches first (70%). It may rise or fall over
    /// the window: 100..5000/s evenly, 100..5000/s:500 in steps of 500 and the same length, 10..120%:10 likewise.
    #[arg(
        long,
        value_name = "R/s|P%",
        default_value = "70%",
        allow_hyphen_values = true
    )]
    pub(crate) rate: Offer,

    /// Rates over time, from a file of lines DURATION RATE or DURATION RATE..RATE (a ramp), in requests a second;
    /// a line repeat N has the lines since the last one run N times. Its length is the window's.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["rate", "max"])]
    pub(crate) schedule: Option<PathBuf>,

    /// The arrivals of an earlier run (its directory), or a file of them: nanoseconds from the start, one a line. With
    /// the same --seed, the requests have the same keys too. Its length is the window's.
    #[arg(long, value_name = "RUN_DIR|FILE", conflicts_with_all = ["rate", "max", "schedule", "arrivals"])]
    pub(crate) replay: Option<PathBuf>,

    /// Closed loop: each connection sends the next request as soon as the last one is done.
    #[arg(long, conflicts_with = "rate")]
    pub(crate) max: bool,

    /// How the due times of an open loop are spread.
    #[arg(long, value_name = "HOW", default_value = "poisson")]
    pub(crate) arrivals: Arrivals,

    /// Connections, each with requests of its own.
    #[arg(long, value_name = "N", default_value_t = 8, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    pub(crate) connections: u32,

    /// Length of the measured window [default: 30s, or the length of --schedule or --replay, which it may cut].
    #[arg(long, value_name = "T", value_parser = duration)]
    pub(crate) duration: Option<Duration>,

    /// Load before the measured window, drained before it starts. It has the rates of the window's beginning.
    #[arg(long, value_name = "T", default_value = "3s", value_parser = duration)]
    pub(crate) warmup: Duration,

    /// Seed of arrivals, keys and data: the same seed gives the same of all three.
    #[arg(long, value_name = "S", default_value_t = 1)]
    pub(crate) seed: u64,

    /// Tables [default: 4].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=10_000))]
    pub(crate) tables: Option<u32>,

    /// Rows of each table [default: 25000].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=2_147_483_647))]
    pub(crate) rows: Option<u32>,

    /// Distribution of the rows that requests touch, as sysbench computes it: uniform, special (sysbench 1.0's
    /// default), gaussian, pareto or zipfian; sysbench's parameters may follow: zipfian:1.2, pareto:0.3, gaussian:6,
    /// special:5,80 [default: uniform].
    #[arg(long, value_name = "HOW")]
    pub(crate) keys: Option<Keys>,

    /// mysql, mariadb, a path to mysqld, or mysql://USER@HOST/ of a running server on this machine. Default: a
    /// private MySQL, or MariaDB where there is no MySQL. A password is read from LOGTRACE_PASSWORD. After a question
    /// mark: socket=PATH or ssl-mode=required.
    // A text: clap's errors repeat a value, and an address may hold a password by mistake.
    #[arg(long, value_name = "SERVER")]
    pub(crate) server: Option<String>,

    /// Set a variable of the server; a value that does not take is an error. Repeatable.
    #[arg(long = "set", value_name = "VAR=VALUE")]
    pub(crate) settings: Vec<Setting>,

    /// Set a variable for the session of each connection of the load, such as sql_log_bin=0. Repeatable.
    #[arg(long = "session", value_name = "VAR=VALUE")]
    pub(crate) session: Vec<SessionVariable>,

    /// Leave the tables on a server that runs already; the next run with the same --tables, --rows, --keys and --seed
    /// uses them. Without this they are removed.
    #[arg(long)]
    pub(crate) keep_tables: bool,

    #[command(flatten)]
    pub(crate) storage: StorageArgs,

    /// Wait for the last microseconds before a request is due on the CPU, not asleep: the least lag, where there is a core
    /// to spare. `logtrace pace` tells what that gains here.
    #[arg(long, conflicts_with = "max")]
    pub(crate) spin: bool,

    /// How long a request may take from when it is sent; then it has failed, and its connection is made again.
    /// Default: as long as it takes.
    #[arg(long, value_name = "T", value_parser = duration)]
    pub(crate) deadline: Option<Duration>,

    /// How long a lost connection is tried to be made again while the server refuses it [default: 30s for a running
    /// server; a private one that ends does not come back].
    #[arg(long, value_name = "T", value_parser = duration)]
    pub(crate) reconnect: Option<Duration>,

    /// Measure without tracing: no causes.
    #[arg(long, conflicts_with_all = ["detail", "sample", "record", "ring_bytes"])]
    pub(crate) no_trace: bool,

    #[command(flatten)]
    pub(crate) tracing: TracingArgs,

    /// Where run directories are made.
    #[arg(long, value_name = "DIR", default_value = "logtrace-runs")]
    pub(crate) out: PathBuf,

    #[command(flatten)]
    pub(crate) home: HomeArgs,

    #[command(flatten)]
    pub(crate) workload: WorkloadArgs,
}

#[derive(Debug, Args)]
#[command(
    group(ArgGroup::new("which").required(true).args(["address", "pid", "socket"])),
    after_help = "\
Examples:
  sudo logtrace trace --socket /run/mysqld/mysqld.sock --duration 30s
  sudo logtrace trace --pid $(pgrep -x mysqld)
      without a login, until Ctrl-C
  sudo LOGTRACE_PASSWORD=... logtrace trace mysql://monitor@127.0.0.1:3306/ --duration 1m --record

Nothing is changed on the server. With --pid it is not even asked: its version, and where its
data and logs are, are read in the memory of its process. A login needs no privileges: it is for
all variables and the change of the status."
)]
pub(crate) struct TraceArgs {
    /// The server as mysql://USER@HOST/, on this machine. A password is read from LOGTRACE_PASSWORD. After a question
    /// mark: socket=PATH or ssl-mode=required.
    // A text: clap's errors repeat a value, and an address may hold a password by mistake.
    #[arg(value_name = "mysql://...")]
    pub(crate) address: Option<String>,

    /// The server as its process: no login.
    #[arg(long, value_name = "PID")]
    pub(crate) pid: Option<u32>,

    /// The server as its Unix socket. A password is read from LOGTRACE_PASSWORD.
    #[arg(long, value_name = "PATH")]
    pub(crate) socket: Option<PathBuf>,

    /// The account for --socket; root needs no password where the server asks the system who connects.
    #[arg(long, value_name = "USER", default_value = "root", conflicts_with_all = ["pid", "address"])]
    pub(crate) user: String,

    /// How long. Default: until Ctrl-C.
    #[arg(long, value_name = "T", value_parser = duration)]
    pub(crate) duration: Option<Duration>,

    #[command(flatten)]
    pub(crate) tracing: TracingArgs,

    /// Where run directories are made.
    #[arg(long, value_name = "DIR", default_value = "logtrace-runs")]
    pub(crate) out: PathBuf,
}

/// Reads a length of time.
pub(crate) fn duration(text: &str) -> Result<Duration, String> {
    humantime::parse_duration(text)
        .map_err(|error| format!("{error}. Write a number and a unit, such as 500ms, 30s or 2m"))
}

/// How a server is traced, whoever loads it.
#[derive(Clone, Copy, Debug, Args)]
pub(crate) struct TracingArgs {
    /// How much is traced: commit (whom commits wait for, no files), io (also each system call on a file, and what it
    /// waits for), full (also the devices' flushes, statements outside of commits, and who leads whom in a group
    /// commit). Each costs more than the one before.
    #[arg(long, value_name = "LEVEL", default_value_t = Detail::Io)]
    pub(crate) detail: Detail,

    /// Trace only a part of the time, in bursts of 200 ms, and nothing in between: for servers whose commits are so
    /// fast that tracing each of them would slow them down. Requests are measured all the time. What takes longer than a
    /// burst is not explained: 25%:2s has bursts of two seconds.
    #[arg(long, value_name = "P%[:BURST]", default_value_t = Sampling::ALL)]
    pub(crate) sample: Sampling,

    /// Keep every record in the run directory (about 0.5 kB a commit).
    #[arg(long)]
    pub(crate) record: bool,

    /// Room for the records of each CPU, a power of two such as 64K or 16M [default: 512K to 4M, by the number of
    /// CPUs]. More where records are lost; less where memory is short, or to see how losses are told.
    #[arg(long, value_name = "SIZE")]
    pub(crate) ring_bytes: Option<RingBytes>,
}

/// Where a private server keeps its files.
#[derive(Debug, Args)]
pub(crate) struct StorageArgs {
    /// Give the private server a file system of its own (ext4, xfs or btrfs, made with defaults), in a sparse file
    /// behind a loop device. Nobody else sees it, and it is gone with the run.
    #[arg(long, value_name = "FS")]
    pub(crate) fs: Option<ImageKind>,

    /// Size of that file system [default: 4G]; as much has to be free where private servers are made.
    #[arg(long, value_name = "SIZE", requires = "fs")]
    pub(crate) fs_size: Option<ImageSize>,

    /// Keep a class of the private server's files in a directory elsewhere, which exists. Classes: binlog, redo,
    /// slow_log, general_log, data, doublewrite, undo, temporary. Repeatable.
    #[arg(long, value_name = "CLASS=DIR")]
    pub(crate) place: Vec<Placement>,
}

#[derive(Debug, Args)]
pub(crate) struct DoctorArgs {
    #[command(flatten)]
    pub(crate) home: HomeArgs,

    /// Remove what killed runs left: private servers' directories, copies of their data, what was placed elsewhere, and
    /// half-made data directories; put settings of disks back. What belongs to a logtrace that runs stays.
    #[arg(long)]
    pub(crate) clean: bool,
}

#[derive(Debug, Args)]
pub(crate) struct HomeArgs {
    /// Where private servers and the data directories that they start from are made. Default:
    /// /var/lib/logtrace/instances and /var/cache/logtrace/templates.
    #[arg(long, value_name = "DIR", env = "LOGTRACE_HOME")]
    home: Option<PathBuf>,
}

impl HomeArgs {
    /// The directories that this means.
    pub(crate) fn home(&self) -> Home {
        self.home.as_deref().map_or_else(Home::default, Home::at)
    }
}

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  logtrace report logtrace-runs/20260102-030405-update_key
  logtrace report RUN_DIR --format json | jq .causes
  logtrace report RUN_DIR --format folded | flamegraph.pl > commits.svg")]
pub(crate) struct ReportArgs {
    /// The run directory.
    #[arg(value_name = "RUN_DIR")]
    pub(crate) run_dir: PathBuf,

    /// What to print.
    ///
    /// One of terminal, json, html, markdown, csv, folded (commits), folded-response (from the client to the causes of
    /// commits), folded-statement (statements outside of commits, of a run with --detail full).
    #[arg(long, value_name = "FORMAT", default_value_t = Format::Terminal)]
    pub(crate) format: Format,
}
