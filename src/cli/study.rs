//! Arguments of `logtrace study`.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, Subcommand};
use logtrace_study::Scale;
use logtrace_study::runner::LevelArg;

use super::check::duration;
use super::cpus::CpusArgs;
use super::home::HomeArgs;
use super::shown::QuietArgs;

#[derive(Debug, Args)]
#[command(
    args_conflicts_with_subcommands = true,
    subcommand_negates_reqs = true,
    after_long_help = "\
Examples:
  logtrace study list
  logtrace study show binlog-fs --scale quick
      its axes, cells, order of turns, and how long it takes
  sudo logtrace study slow-log --scale quick --dry-run
      what effects it could show here, by a pilot of some minutes
  sudo logtrace study max-write
      at the scale smoke, into logtrace-studies/max-write-smoke
  sudo logtrace study slow-log --scale quick --only server=mysql --out slow-log
  sudo logtrace study slow-log --scale quick --only server=mysql --out slow-log --resume
      goes on after Ctrl-C, a crash or a power cut: what is measured is not measured again
  sudo logtrace study my-plan.toml --duration 5s --repeats 2
      a plan of your own (docs/plans.md)

Exit codes: 0 all turns are measured; 1 nothing could be; 2 wrong usage or plan; 3 some turns are missing."
)]
pub(crate) struct StudyArgs {
    #[command(subcommand)]
    pub(crate) command: Option<StudyCommand>,

    #[command(flatten)]
    pub(crate) run: StudyRunArgs,
}

#[derive(Debug, Subcommand)]
pub(crate) enum StudyCommand {
    /// List the built-in studies.
    List,
    /// Show the question, axes, cells and turns of a study. Needs no root and no server.
    Show(StudyShowArgs),
}

#[derive(Debug, Args)]
pub(crate) struct StudyShowArgs {
    /// Study: its name or a TOML file.
    #[arg(value_name = "NAME|PLAN.toml")]
    pub(crate) plan: String,

    #[command(flatten)]
    pub(crate) extent: StudyExtentArgs,
}

#[derive(Debug, Args)]
pub(crate) struct StudyRunArgs {
    /// Study: its name (`logtrace study list`) or a TOML file (docs/plans.md).
    #[arg(value_name = "NAME|PLAN.toml", required = true)]
    pub(crate) plan: Option<String>,

    #[command(flatten)]
    pub(crate) extent: StudyExtentArgs,

    /// Directory of the study, with a run directory for each turn and the result tables [default:
    /// logtrace-studies/NAME-SCALE].
    #[arg(long, value_name = "DIR")]
    pub(crate) out: Option<PathBuf>,

    /// Resume the study in --out. Finished measurements are not repeated. A larger --repeats than before adds repeats.
    #[arg(long)]
    pub(crate) resume: bool,

    /// Measure only a pilot, some minutes long: pairs of equal short turns. It tells which effects the study would show on
    /// this machine, and how long a study takes that shows the plan's `effect`. Nothing is written into --out.
    #[arg(long, conflicts_with = "resume")]
    pub(crate) dry_run: bool,

    /// Run the server programs that the plan names, and use the workload files that it names, whoever owns them or can
    /// write them. Without this option root runs only programs that belong to root or to the user who called sudo, and
    /// that nobody else can write. The same holds for workload files outside of the plan's directory.
    #[arg(long)]
    pub(crate) trust_plan: bool,

    #[command(flatten)]
    pub(crate) quiet: QuietArgs,

    #[command(flatten)]
    pub(crate) cpus: CpusArgs,

    #[command(flatten)]
    pub(crate) home: HomeArgs,
}

/// Part and size of a plan.
#[derive(Clone, Debug, Args)]
pub(crate) struct StudyExtentArgs {
    /// Scale: smoke (minutes on two cores), quick (less than an hour) or full (as published).
    #[arg(long, value_name = "SCALE", default_value = "smoke")]
    pub(crate) scale: Scale,

    /// Measure only this level of an axis. Repeatable; commas separate several.
    #[arg(long, value_name = "AXIS=LEVEL", value_delimiter = ',')]
    pub(crate) only: Vec<LevelArg>,

    /// Seed of the data, the order of turns, and the arrivals and requests.
    #[arg(long, value_name = "S", default_value_t = 1)]
    pub(crate) seed: u64,

    /// Length of each window, in place of the plan's.
    #[arg(long, value_name = "T", value_parser = duration)]
    pub(crate) duration: Option<Duration>,

    /// Length of the load before each window, in place of the plan's.
    #[arg(long, value_name = "T", value_parser = duration)]
    pub(crate) warmup: Option<Duration>,

    /// Number of measurements of each cell, in place of the plan's.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub(crate) repeats: Option<u32>,
}
