//! `logtrace run`: the main job.

use super::measure_and_report::measure_and_report;
use crate::cli::run::RunArgs;
use crate::exit::Exit;
use crate::run::{measure, measured, preflight};

/// Measures, writes the run directory, and prints the report.
pub(crate) fn run(arguments: &RunArgs) -> anyhow::Result<Exit> {
    let config = arguments.config()?;
    preflight(&config)?;
    measure_and_report(
        &config.out,
        config.requests.name(),
        async |outputs, interrupts| {
            let raw = measure(&config, outputs, interrupts).await?;
            Ok(measured(&config, outputs.started, raw))
        },
    )
}
