//! Results on the standard output.

use std::io::{self, IsTerminal, Write};

use anyhow::Context;
use logtrace_attribution::breakdown::StackTotals;
use logtrace_common::inert;
use logtrace_measure::run_dir::RunDir;
use logtrace_report::document::Document;
use logtrace_report::render::{Format, Input, render};

/// Prints a result; all but text and the styles of a report is left out. A pipe that the reader closed early (`| head`) is no error.
pub(crate) fn print(text: &str) -> anyhow::Result<()> {
    let mut out = io::stdout().lock();
    match out
        .write_all(inert::terminal(text).as_bytes())
        .and_then(|()| out.flush())
    {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            Err(error).context("cannot print to the standard output")
        }
        _ => Ok(()),
    }
}

/// Prints the report of a run, and where its files are.
pub(super) fn print_report(document: &Document, dir: &RunDir) -> anyhow::Result<()> {
    let terminal = render(
        Format::Terminal,
        Input {
            document,
            stacks: &StackTotals::default(),
            over_time: None,
            color: io::stdout().is_terminal(),
        },
    )?;
    let place = dir.report_html();
    let place = place.display();
    print(&format!("{terminal}\nreport: {place}\n"))
        .with_context(|| format!("measured, and the report is {place}, but"))
}
