//! Frame of each measuring subcommand: run directory, signals, files, report.

use std::path::Path;
use std::time::Duration;

use anyhow::Context;
use jiff::ZonedDateTime;
use logtrace_measure::document::Results;
use logtrace_measure::measurement::Signals;
use logtrace_measure::outputs::{Outputs, discard};
use logtrace_measure::run_dir::RunDir;
use logtrace_report::render::Format;
use tokio::runtime::Builder;

use super::print::{print_place, print_report};
use crate::exit::Exit;
use crate::handover::hand_over;

/// Longest time for the copy of a data directory after the run was aborted. The threads of the driver are not waited
/// for: they may hang on a server that has ended.
const LONGEST_COPY: Duration = Duration::from_secs(8);

/// Creates a run directory in `out`, named by the time and `name`, measures, writes the files, and prints the report as it is to be
/// shown. A failed measurement leaves no directory, unless the log of the server tells more.
pub(super) fn measure_and_report(
    (out, shown): (&Path, (Format, bool)),
    name: &str,
    measure: impl AsyncFnOnce(&Outputs<'_>, &Signals) -> anyhow::Result<Results>,
) -> anyhow::Result<Exit> {
    let now = ZonedDateTime::now();
    let started = now.strftime("%Y-%m-%dT%H:%M:%S%:z").to_string();
    // Signals are listened for before there is a directory: one that comes earlier leaves nothing.
    let (dir, measured) = in_event_loop(async |signals| {
        let dir = RunDir::create(out, &now, name)?;
        let outputs = Outputs {
            dir: &dir,
            started: &started,
        };
        let measured = measure(&outputs, signals).await;
        Ok((dir, measured))
    })?;
    let measured = measured.map_err(|error| discard(&dir, error))?;
    let outputs = Outputs {
        dir: &dir,
        started: &started,
    };
    let document = &measured.document;
    document.check()?;
    // Whatever is wrong with the run directory, the report is shown.
    let written = outputs.finished(&measured);
    // First of all: a terminal that is gone or a full pipe must not leave the results to root.
    let given = hand_over(dir.path())
        .with_context(|| format!("cannot give {} to the user who ran sudo", dir.path().display()));
    print_report(document, shown, &dir)?;
    written.and(given)?;
    let requests = dir.requests_bin();
    if requests.is_file() {
        print_place(
            shown.0,
            &format!("requests for `logtrace join`: {}", requests.display()),
        )?;
    }
    Ok(Exit::of(document))
}

/// Does `work` in an event loop on this thread, and listens for signals.
pub(super) fn in_event_loop<T>(work: impl AsyncFnOnce(&Signals) -> anyhow::Result<T>) -> anyhow::Result<T> {
    let runtime = Builder::new_current_thread()
        .enable_all()
        .build()
        .context("cannot start the event loop")?;
    let result = runtime.block_on(async {
        let signals = Signals::listen().await.context("cannot listen for signals")?;
        work(&signals).await
    });
    // A data directory may still be being copied; it is removed after that.
    runtime.shutdown_timeout(LONGEST_COPY);
    result
}
