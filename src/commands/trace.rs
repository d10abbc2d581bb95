//! `logtrace trace`: measures without a load.

use logtrace_measure::preflight;
use logtrace_measure::preflight::require;
use logtrace_measure::trace::{measure, results};

use super::measure_and_report::measure_and_report;
use crate::cli::trace::TraceArgs;
use crate::exit::Exit;

/// Traces, writes the run directory, and prints the report.
pub(crate) fn trace(arguments: &TraceArgs) -> anyhow::Result<Exit> {
    arguments.shown.quiet.apply();
    let config = arguments.config()?;
    require(&preflight::tracing())?;
    let shown = (config.out.as_path(), arguments.shown.format());
    measure_and_report(shown, "trace", async |outputs, signals| {
        let raw = measure(&config, outputs, signals).await?;
        Ok(results(&config, outputs.started, raw))
    })
}
