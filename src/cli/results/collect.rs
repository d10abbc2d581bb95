//! Arguments of `logtrace collect`.

use std::path::PathBuf;

use clap::Args;
use logtrace_dataset::ExportLevel;
use strum::VariantNames;

#[derive(Debug, Args)]
#[command(after_long_help = "\
Examples:
  logtrace collect logtrace-runs/* --out dataset
  logtrace collect RUN_DIR --out dataset --level segments
      each part of each commit; the run needs --record
  duckdb -c \"select wait, sum(total_ns) from read_parquet('dataset/causes/**/*.parquet') group by 1 order by 2 desc\"

The data set has a directory for each table, and in it one for each day and run: DATASET/TABLE/date=DAY/run=RUN. Runs may be
added later, and a run that is collected again replaces itself. Needs no root.")]
pub(crate) struct CollectArgs {
    /// Run directories.
    #[arg(value_name = "RUN_DIR", required = true)]
    pub(crate) runs: Vec<PathBuf>,

    /// Directory of the data set, which is created.
    #[arg(long, value_name = "DATASET")]
    pub(crate) out: PathBuf,

    /// Amount of each run.
    ///
    /// One of runs (totals), seconds (also columns of time), commits (also each commit and request), segments (also each part of
    /// each commit). The last two are for runs with --record.
    #[arg(long, value_name = "LEVEL", default_value_t = ExportLevel::Seconds, value_parser = level, hide_possible_values = true)]
    pub(crate) level: ExportLevel,
}

fn level(name: &str) -> Result<ExportLevel, String> {
    let names = || ExportLevel::VARIANTS.join(", ");
    name.parse().map_err(|_| format!("it is none of {}", names()))
}
