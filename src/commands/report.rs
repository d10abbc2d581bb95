//! `logtrace report`: renders a run directory again.

use std::io::{self, IsTerminal};

use logtrace_report::render::{Format, Input, render};

use super::export::{export_parquet, export_perfetto, export_pprof};
use super::print::print;
use crate::cli::results::report::{Output, ReportArgs};
use crate::exit::Exit;
use crate::run_dir::{self, RunDir};

/// Renders the run of a directory.
pub(crate) fn report(arguments: &ReportArgs) -> anyhow::Result<Exit> {
    let selection = arguments.selection()?;
    let dir = RunDir::open(&arguments.run_dir)?;
    match arguments.format {
        Output::Results(format) => results(&dir, format)?,
        Output::Perfetto => export_perfetto(&dir, selection)?,
        Output::Parquet => export_parquet(&dir)?,
        Output::Pprof => export_pprof(&dir)?,
    }
    Ok(Exit::Done)
}

fn results(dir: &RunDir, format: Format) -> anyhow::Result<()> {
    let document = run_dir::read_document(dir)?;
    let stacks = run_dir::read_stacks(dir)?;
    let over_time = run_dir::read_over_time(dir, &document)?;
    print(&render(
        format,
        Input {
            document: &document,
            stacks: &stacks,
            over_time: over_time.as_ref(),
            color: io::stdout().is_terminal(),
        },
    )?)
}
