//! `logtrace report`: renders a run directory again.

use std::io::{self, IsTerminal};

use logtrace_measure::again::explain_again;
use logtrace_measure::run_dir::{RunDir, RunResults};
use logtrace_report::render::{Format, Input, render};

use super::export::{export_parquet, export_perfetto, export_pprof};
use super::print::print;
use crate::cli::results::report::{Output, ReportArgs};
use crate::exit::Exit;

/// Renders the run of a directory.
pub(crate) fn report(arguments: &ReportArgs) -> anyhow::Result<Exit> {
    let selection = arguments.selection()?;
    let dir = RunDir::open(&arguments.run_dir)?;
    let results = || match arguments.explain_again {
        true => explain_again(&dir),
        false => RunResults::read(&dir),
    };
    match arguments.format {
        Output::Results(format) => print_results(&results()?, format)?,
        Output::Pprof => export_pprof(&dir, results()?)?,
        // Both always explain the recording, if there is one.
        Output::Perfetto => export_perfetto(&dir, selection, arguments.explain_again)?,
        Output::Parquet => export_parquet(&dir)?,
    }
    Ok(Exit::Done)
}

fn print_results(results: &RunResults, format: Format) -> anyhow::Result<()> {
    print(&render(
        format,
        Input {
            document: &results.document,
            stacks: &results.stacks,
            over_time: results.over_time.as_ref(),
            color: io::stdout().is_terminal(),
        },
    )?)
}
