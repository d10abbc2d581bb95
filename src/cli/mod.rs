//! The command line: clap types, and the checked configurations that they turn into.
//!
//! No other module knows a clap type.

mod check;
mod cpus;
pub(crate) mod doctor;
mod home;

pub(crate) mod login;
pub(crate) mod manual;
pub(crate) mod pace;
mod pacing;
pub(crate) mod results;
pub(crate) mod run;
mod run_config;
mod storage;
pub(crate) mod study;
pub(crate) mod trace;
mod tracing;
mod workload;

use clap::{CommandFactory, Parser, Subcommand};

use self::doctor::DoctorArgs;
use self::manual::ManualArgs;
use self::pace::PaceArgs;
use self::results::collect::CollectArgs;
use self::results::compare::CompareArgs;
use self::results::join::JoinArgs;
use self::results::report::ReportArgs;
use self::run::RunArgs;
use self::study::StudyArgs;
use self::trace::TraceArgs;

/// Measures MySQL and MariaDB under load, and charges every nanosecond of every commit to what it waited for.
#[derive(Debug, Parser)]
#[command(
    name = "logtrace",
    version,
    max_term_width = 100,
    after_help = "\
Examples:
  logtrace doctor
  sudo logtrace run --workload update_key
  sudo logtrace trace --socket /run/mysqld/mysqld.sock --duration 30s

Exit codes: 0 measured; 1 could not measure; 2 wrong usage; 3 measured, but the run is marked degraded."
)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Command,
}

impl Cli {
    /// Returns the whole command line, for texts about it.
    pub(crate) fn definition() -> clap::Command {
        Self::command()
    }
}

impl Command {
    /// Returns whether the command may do what its user alone may not: the others only read and write files.
    pub(crate) fn needs_rights(&self) -> bool {
        match self {
            Self::Run(_) | Self::Trace(_) | Self::Doctor(_) | Self::Pace(_) => true,
            Self::Study(arguments) => arguments.command.is_none(),
            Self::Report(_)
            | Self::Compare(_)
            | Self::Collect(_)
            | Self::Join(_)
            | Self::Workloads
            | Self::Manual(_) => false,
        }
    }
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Put a server under load, trace it, and explain its commits.
    Run(Box<RunArgs>),
    /// Trace a server that already has a load, and explain its commits.
    Trace(TraceArgs),
    /// Measure a server under many settings in turns, and compare the results in tables.
    Study(Box<StudyArgs>),
    /// Render the report of a run directory again. Needs no root.
    Report(ReportArgs),
    /// Compare runs: what differs between them, by how much, and how sure that is. Needs no root.
    Compare(CompareArgs),
    /// Write runs as a data set of Parquet, for DuckDB, ClickHouse and Spark. Needs no root.
    Collect(CollectArgs),
    /// Put together a run of one machine and a trace of the server's machine. Needs no root.
    Join(JoinArgs),
    /// Check what works on this machine, and show how to fix what does not.
    Doctor(DoctorArgs),
    /// List the workloads.
    Workloads,
    /// Measure how exactly this machine can hold a request rate. Needs no root and no server.
    Pace(PaceArgs),
    /// Write the man pages and the completions of shells.
    #[command(hide = true)]
    Manual(ManualArgs),
}
