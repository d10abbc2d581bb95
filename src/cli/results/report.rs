//! Arguments of `logtrace report`.

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use logtrace_common::TimeRange;
use logtrace_report::perfetto::Selection;
use logtrace_report::render::Format;

use crate::cli::check::duration;
use crate::exit::UsageError;

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  logtrace report logtrace-runs/20260102-030405-update_key
  logtrace report RUN_DIR --format json | jq .causes
  logtrace report RUN_DIR --explain-again
      the causes as this version finds them in the records of an older run with --record
  logtrace report RUN_DIR --format folded | flamegraph.pl > commits.svg
  logtrace report RUN_DIR --format perfetto > commits.pftrace.gz
      for https://ui.perfetto.dev, which reads the file in the browser: the slowest and typical commits, and those of
      stalls; with --record what all threads did meanwhile")]
pub(crate) struct ReportArgs {
    /// Run directory.
    #[arg(value_name = "RUN_DIR")]
    pub(crate) run_dir: PathBuf,

    /// Output format.
    ///
    /// One of terminal, json, html, markdown, csv, folded (stacks of commits), folded-response (stacks of requests, from
    /// the client to the causes of commits), folded-statement (stacks of statements outside of commits, for a run with
    /// --detail full), speedscope (all stacks, for the viewer of that name), perfetto (what each thread did, for the viewer
    /// of that name; without --record what is known of the commits that were kept), parquet (a row for each commit; for a run with --record. `logtrace collect` writes
    /// all tables), pprof (commit time by stack, for the tool of that name).
    #[arg(long, value_name = "FORMAT", default_value = "terminal", value_parser = output)]
    pub(crate) format: Output,

    /// Explain the commits again with this version, from the records of a run or a trace with --record.
    ///
    /// Any format is then of the new explanation: commits, their causes and stacks, files, devices, groups, statements, stalls
    /// and the parts of response times. The numbers of the load, the settings and the cost of the tracer stay those of
    /// run.json. Nothing in RUN_DIR is changed. perfetto and parquet always explain the records if there are any.
    #[arg(long)]
    pub(crate) explain_again: bool,

    /// Export this many of the slowest commits, at most 64, to perfetto. Default: the 64 slowest, typical ones, and those of stalls.
    #[arg(long, value_name = "N", conflicts_with_all = ["from", "to", "whole"])]
    slowest: Option<usize>,

    /// Export to perfetto from this time of the window on.
    #[arg(long, value_name = "T", value_parser = duration, conflicts_with = "whole")]
    from: Option<Duration>,

    /// Export to perfetto until this time of the window.
    #[arg(long, value_name = "T", value_parser = duration, conflicts_with = "whole")]
    to: Option<Duration>,

    /// Export all of the window of a run with --record to perfetto, up to a million slices.
    #[arg(long)]
    whole: bool,
}

/// Output of the command: the results in a format, or what is made of a recording.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Output {
    Results(Format),
    Perfetto,
    Parquet,
    Pprof,
}

fn output(name: &str) -> Result<Output, String> {
    match name {
        "perfetto" => Ok(Output::Perfetto),
        "parquet" => Ok(Output::Parquet),
        "pprof" => Ok(Output::Pprof),
        name => name
            .parse()
            .map(Output::Results)
            .map_err(|error| format!("{error}, perfetto, parquet or pprof")),
    }
}

impl ReportArgs {
    /// Returns the part of the run to export, and refuses one for other formats.
    pub(crate) fn selection(&self) -> Result<Selection, UsageError> {
        let nanoseconds = |time: Duration| u64::try_from(time.as_nanos()).unwrap_or(u64::MAX);
        let is_named = self.slowest.is_some() || self.from.is_some() || self.to.is_some() || self.whole;
        if is_named && self.format != Output::Perfetto {
            return Err(UsageError(
                "--slowest, --from, --to and --whole are for --format perfetto".to_owned(),
            ));
        }
        Ok(match (self.whole, self.from, self.to) {
            (true, ..) => Selection::Whole,
            (false, None, None) => self.slowest.map_or(Selection::Exemplars, Selection::Slowest),
            (false, from, to) => Selection::Part(TimeRange::new(
                from.map_or(0, nanoseconds),
                to.map_or(u64::MAX, nanoseconds),
            )),
        })
    }
}
