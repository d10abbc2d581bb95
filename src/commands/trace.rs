//! `logtrace trace`: the commits of a server under a load that is not ours.

use super::measure_and_report::measure_and_report;
use crate::cli::trace::TraceArgs;
use crate::exit::Exit;
use crate::preflight;
use crate::preflight::insist;
use crate::trace::{measured, watch};

/// Traces, writes the run directory, and prints the report.
pub(crate) fn trace(arguments: &TraceArgs) -> anyhow::Result<Exit> {
    let config = arguments.config()?;
    insist(&preflight::tracing())?;
    measure_and_report(&config.out, "trace", async |outputs, interrupts| {
        let raw = watch(&config, outputs, interrupts).await?;
        Ok(measured(&config, outputs.started, raw))
    })
}
