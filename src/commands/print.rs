//! Results on the standard output.

use std::io;

use anstream::{AutoStream, ColorChoice};
use anyhow::Context;
use logtrace_attribution::breakdown::StackTotals;
use logtrace_measure::run_dir::{self, RunDir};
use logtrace_measure::say;
use logtrace_report::document::Document;
use logtrace_report::render::{Format, Input, render};

use crate::output::write_text;

/// Returns whether the standard output has colours: as `--color` says, or else if it is a terminal and neither `NO_COLOR` nor
/// `TERM=dumb` is set.
pub(super) fn has_color() -> bool {
    AutoStream::choice(&io::stdout()) != ColorChoice::Never
}

/// Prints a result on the standard output, as [`write_text`] writes it.
pub(crate) fn print(text: &str) -> anyhow::Result<()> {
    write_text(&mut io::stdout().lock(), text).context("cannot print to the standard output")
}

/// Prints the report of a run in a format, with a row for each cause if `all`, and where its files are.
pub(super) fn print_report(
    document: &Document,
    (format, all): (Format, bool),
    dir: &RunDir,
) -> anyhow::Result<()> {
    // Whatever is wrong with the run directory, the report is shown.
    let over_time = run_dir::read_over_time(dir, document).ok().flatten();
    let report = render(
        format,
        Input {
            document,
            stacks: &StackTotals::default(),
            over_time: over_time.as_ref(),
            color: has_color(),
            all,
        },
    )?;
    let place = dir.report_html();
    let place = place.display();
    let failed = || format!("measured, and the report is {place}, but");
    print(&report).with_context(failed)?;
    // A blank line between the report and the places.
    if format == Format::Terminal {
        print("\n").with_context(failed)?;
    }
    print_place(format, &format!("report: {place}")).with_context(failed)
}

/// Says where a file is: on the standard output, if that is for a person; otherwise it has the document alone, and stderr has the
/// place.
pub(super) fn print_place(format: Format, text: &str) -> anyhow::Result<()> {
    match format {
        Format::Terminal => print(&format!("{text}\n")),
        _ => {
            say::progress(text);
            Ok(())
        }
    }
}
