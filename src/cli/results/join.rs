//! Arguments of `logtrace join`.

use std::path::PathBuf;

use clap::Args;
use logtrace_measure::runs::RUNS;

#[derive(Debug, Args)]
#[command(after_long_help = "\
Examples:
  db1$  sudo logtrace trace --socket /run/mysqld/mysqld.sock --record
  load$ logtrace run --server mysql://bench@db1/ --password-file bench.pw --rate 300/s --record
  db1$  Ctrl-C when the run has ended; then copy its directory to the other machine
  load$ logtrace join logtrace-runs/20260101-120000-update_key 20260101-115950-trace

The requests themselves show how far the clocks of the two machines are apart. Their dates need to agree
to a minute only. The result is a run directory of its own; the two others are not changed. Needs no root
and no server.")]
pub(crate) struct JoinArgs {
    /// Directory of a run with --record: its requests are joined.
    pub(crate) run_dir: PathBuf,

    /// Directory of a trace with --record of the same server at the same time: its causes are joined.
    pub(crate) trace_dir: PathBuf,

    /// Directory in which the run directory of the result is created.
    #[arg(long, value_name = "DIR", default_value = RUNS)]
    pub(crate) out: PathBuf,
}
