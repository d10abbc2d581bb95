//! Arguments of `logtrace report`.

use std::path::PathBuf;

use clap::Args;
use logtrace_report::render::Format;

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  logtrace report logtrace-runs/20260102-030405-update_key
  logtrace report RUN_DIR --format json | jq .causes
  logtrace report RUN_DIR --format folded | flamegraph.pl > commits.svg")]
pub(crate) struct ReportArgs {
    /// Run directory.
    #[arg(value_name = "RUN_DIR")]
    pub(crate) run_dir: PathBuf,

    /// Output format.
    ///
    /// One of terminal, json, html, markdown, csv, folded (stacks of commits), folded-response (stacks of requests, from
    /// the client to the causes of commits), folded-statement (stacks of statements outside of commits, for a run with
    /// --detail full), speedscope (all stacks, for the viewer of that name).
    #[arg(long, value_name = "FORMAT", default_value_t = Format::Terminal)]
    pub(crate) format: Format,
}
