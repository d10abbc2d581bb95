//! `logtrace report`: renders a run again.

use std::path::Path;

use logtrace_attribution::breakdown::StackTotals;
use logtrace_measure::again::explain_again;
use logtrace_measure::run_dir::RunResults;
use logtrace_measure::runs::{RUNS, last_run};
use logtrace_measure::say;
use logtrace_report::render::{Format, Input, render};

use super::export::{export_parquet, export_perfetto, export_pprof, only_a_page};
use super::print::has_color;
use crate::cli::results::report::{Output, ReportArgs};
use crate::exit::Exit;
use crate::output::Place;
use crate::source::Source;

/// Renders the run of a directory or of a page.
pub(crate) fn report(arguments: &ReportArgs) -> anyhow::Result<Exit> {
    let selection = arguments.selection()?;
    arguments.check_all()?;
    let source = match &arguments.run {
        Some(path) => Source::open(path)?,
        None => last()?,
    };
    let place = arguments.place(&source)?;
    let results = || results(&source, arguments.explain_again);
    match arguments.format {
        Output::Results(format) => print_results(&source, &results()?, (format, arguments.all), &place)?,
        Output::Pprof => export_pprof(&source, results()?, &place)?,
        // Both always explain the recording, if there is one.
        Output::Perfetto => export_perfetto(&source, selection, arguments.explain_again, &place)?,
        Output::Parquet => export_parquet(&source, &place)?,
    }
    Ok(Exit::Done)
}

/// Opens the last run, and says on stderr which one it is.
fn last() -> anyhow::Result<Source> {
    let dir = last_run(Path::new(RUNS))?;
    say::line(&format!("the last run: {}", dir.path().display()));
    Ok(Source::Directory(dir))
}

fn results(source: &Source, is_again: bool) -> anyhow::Result<RunResults> {
    match source {
        Source::Directory(dir) if is_again => explain_again(dir),
        Source::Directory(dir) => RunResults::read(dir),
        Source::Page(_) if is_again => Err(only_a_page(source)),
        Source::Page(_) => {
            let (document, over_time) = source.numbers()?;
            Ok(RunResults {
                document,
                stacks: StackTotals::default(),
                over_time,
            })
        }
    }
}

/// Prints the results in a format, with a row for each cause if `all`.
fn print_results(
    source: &Source,
    results: &RunResults,
    (format, all): (Format, bool),
    place: &Place,
) -> anyhow::Result<()> {
    if let (Source::Page(_), true) = (source, format.draws_stacks()) {
        return Err(only_a_page(source));
    }
    place.print(&render(
        format,
        Input {
            document: &results.document,
            stacks: &results.stacks,
            over_time: results.over_time.as_ref(),
            color: *place == Place::Stdout && has_color(),
            all,
        },
    )?)
}
