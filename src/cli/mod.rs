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
mod shown;
mod storage;
pub(crate) mod study;
#[cfg(test)]
mod tests;
pub(crate) mod trace;
mod tracing;
mod workload;

use clap::{ColorChoice, CommandFactory, FromArgMatches, Parser, Subcommand};

use self::doctor::DoctorArgs;
use self::manual::{CompletionsArgs, ManArgs, ManualArgs, with_short_help};
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
    after_long_help = "\
Examples:
  logtrace doctor
  sudo logtrace run --workload update_key
  sudo logtrace trace --socket /run/mysqld/mysqld.sock --duration 30s

Exit codes: 0 measured; 1 could not measure; 2 wrong usage; 3 measured, but the run is marked degraded."
)]
pub(crate) struct Cli {
    /// Colours of the output: auto, always or never. auto gives them to a terminal, but not with NO_COLOR or TERM=dumb.
    #[arg(
        long,
        value_name = "WHEN",
        global = true,
        default_value = "auto",
        hide_possible_values = true
    )]
    color: ColorChoice,

    #[command(subcommand)]
    pub(crate) command: Command,
}

impl Cli {
    /// Sets when all output has colours.
    pub(crate) fn set_color(&self) {
        let choice = match self.color {
            ColorChoice::Auto => anstream::ColorChoice::Auto,
            ColorChoice::Always => anstream::ColorChoice::Always,
            ColorChoice::Never => anstream::ColorChoice::Never,
        };
        choice.write_global();
    }

    /// Returns the whole command line, for texts about it.
    pub(crate) fn definition() -> clap::Command {
        with_short_help(Self::command())
    }

    /// Parses the arguments of this process. Ends it with clap's message if they are wrong, or ask for help.
    pub(crate) fn read() -> Self {
        let matches = Self::definition().get_matches();
        Self::from_arg_matches(&matches).unwrap_or_else(|error| error.exit())
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
            | Self::Completions(_)
            | Self::Man(_)
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
    /// Print the completions of a shell.
    Completions(CompletionsArgs),
    /// Print the man page of a command.
    Man(ManArgs),
    /// Write all man pages and completions, for packages.
    #[command(hide = true)]
    Manual(ManualArgs),
}
