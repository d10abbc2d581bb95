//! What every measuring subcommand does around its measurement: the run directory, signals, the files, the report.

use std::io::{self, IsTerminal};
use std::path::Path;
use std::time::Duration;

use crate::run_dir::RunDir;
use anyhow::Context;
use jiff::Zoned;
use logtrace_report::breakdown::StackTotals;
use logtrace_report::render::{Format, Input, render};
use tokio::runtime::Builder;

use super::print::print;
use crate::exit::Exit;
use crate::measurement::{Outputs, Results, Signals, discard};

/// How long the copy of a data directory may go on after the run was given up. The driver's threads are not waited
/// for: they may hang on a server that is gone.
const LONGEST_COPY: Duration = Duration::from_secs(20);

/// Makes a run directory in `out`, named by the time and `name`; measures; writes the files, and prints the report. A
/// measurement that fails leaves no directory, except for what the log of a server in it may tell.
pub(super) fn measure_and_report(
    out: &Path,
    name: &str,
    measure: impl AsyncFnOnce(&Outputs<'_>, &Signals) -> anyhow::Result<Results>,
) -> anyhow::Result<Exit> {
    let started = Zoned::now();
    let dir = RunDir::create(out, &started, name)?;
    let started = started.strftime("%Y-%m-%dT%H:%M:%S%:z").to_string();
    let outputs = Outputs {
        dir: &dir,
        started: &started,
    };
    let measured = in_event_loop(async |signals| measure(&outputs, signals).await)
        .map_err(|error| discard(&dir, error))?;
    let document = &measured.document;
    document.check()?;
    outputs.finished(&measured.snapshot, document)?;
    let terminal = render(
        Format::Terminal,
        Input {
            document,
            stacks: &StackTotals::default(),
            color: io::stdout().is_terminal(),
        },
    )?;
    let place = dir.report_html();
    let place = place.display();
    print(&format!("{terminal}\nreport: {place}\n"))
        .with_context(|| format!("measured, and the report is {place}, but"))?;
    Ok(match measured.degraded {
        true => Exit::Degraded,
        false => Exit::Done,
    })
}

/// Does `work` on this thread, with its ear on signals.
pub(super) fn in_event_loop<T>(work: impl AsyncFnOnce(&Signals) -> anyhow::Result<T>) -> anyhow::Result<T> {
    let runtime = Builder::new_current_thread()
        .enable_all()
        .build()
        .context("cannot start the event loop")?;
    let result = runtime.block_on(async {
        let signals = Signals::listen().context("cannot listen for signals")?;
        work(&signals).await
    });
    // A data directory may still be being copied; it is removed when that ends.
    runtime.shutdown_timeout(LONGEST_COPY);
    result
}
