//! Arguments of `logtrace compare`.

use std::path::PathBuf;

use clap::Args;
use logtrace_compare::Assumed;
use logtrace_compare::render::ComparisonFormat;

use crate::cli::check::percent;

#[derive(Debug, Args)]
#[command(after_long_help = "\
Examples:
  logtrace compare RUN_A RUN_B
      one run each: their own seconds and an assumed spread between runs say how sure the difference is
  logtrace compare A1 A2 A3 --with B1 B2 B3
      repeats: they say how sure the difference of the settings is
  logtrace compare A1 A2 A3 --with B1 B2 B3 --format html > comparison.html
  logtrace compare before/report.html after/report.html
      pages that somebody sent

A verdict stands beside each row: \"differs\", \"same\", \"held\" (a rate), or \"cannot tell\". Needs no root and no server.")]
pub(crate) struct CompareArgs {
    /// Run directories or their pages (report.html): two, A and B, or with --with the repeats of A.
    #[arg(value_name = "RUN", required = true)]
    pub(crate) runs: Vec<PathBuf>,

    /// Run directories or pages of the repeats of B, as many as of A. The first of B is compared with the first of A, and so on: best
    /// they were measured in turns.
    #[arg(long, value_name = "RUN", num_args = 1..)]
    pub(crate) with: Vec<PathBuf>,

    /// Smallest change that matters. A smaller one is never called a difference.
    #[arg(long, value_name = "P%", default_value = "2%", value_parser = percent)]
    pub(crate) smallest: f64,

    /// How much two runs of the same settings differ (standard deviation), for one run each. Repeats show it themselves.
    #[arg(long, value_name = "P%", default_value = "10%", value_parser = percent, conflicts_with = "with")]
    pub(crate) spread: f64,

    /// Output format: terminal, markdown, html or json.
    #[arg(long, value_name = "FORMAT", default_value_t = ComparisonFormat::Terminal)]
    pub(crate) format: ComparisonFormat,
}

impl CompareArgs {
    /// Returns what the comparison assumes.
    pub(crate) fn assumed(&self) -> Assumed {
        Assumed {
            smallest: self.smallest,
            spread: self.spread,
        }
    }
}
