//! `logtrace run`: the main job.

use std::io::{self, IsTerminal};
use std::time::Duration;

use anyhow::Context;
use jiff::Zoned;
use logtrace_events::RunDir;
use logtrace_report::render::{Format, Input, render};
use tokio::runtime::Builder;

use super::print;
use crate::cli::RunArgs;
use crate::exit::Exit;
use crate::run::{Interrupts, Outputs, Raw, RunConfig, discard, document, measure, preflight};

/// How long the copy of a data directory may go on after the run was given up. The driver's threads are not waited
/// for: they may hang on a server that is gone.
const LONGEST_COPY: Duration = Duration::from_secs(20);

/// Measures, writes the run directory, and prints the report.
pub(crate) fn run(arguments: &RunArgs) -> anyhow::Result<Exit> {
    let config = RunConfig::checked(arguments)?;
    preflight(&config)?;
    let started = Zoned::now();
    let dir = RunDir::create(&config.out, &started, config.workload.name)?;
    let started = started.strftime("%Y-%m-%dT%H:%M:%S%:z").to_string();
    let outputs = Outputs {
        dir: &dir,
        config: &config,
        started: &started,
    };
    let raw = match measured(&config, &dir, &outputs) {
        Ok(raw) => raw,
        Err(error) => {
            return Err(discard(&dir, error));
        }
    };
    let (document, degraded) = document(&config, &started, &raw);
    document.check()?;
    outputs.finished(&raw, &document)?;
    let terminal = render(
        Format::Terminal,
        Input {
            document: &document,
            stacks: &[],
            color: io::stdout().is_terminal(),
        },
    )?;
    let place = dir.report_html();
    let place = place.display();
    print(&format!("{terminal}\nreport: {place}\n"))
        .with_context(|| format!("measured, and the report is {place}, but"))?;
    Ok(if degraded { Exit::Degraded } else { Exit::Done })
}

fn measured(config: &RunConfig, dir: &RunDir, outputs: &Outputs<'_>) -> anyhow::Result<Raw> {
    let runtime = Builder::new_current_thread()
        .enable_all()
        .build()
        .context("cannot start the event loop")?;
    let result = runtime.block_on(async {
        let interrupts = Interrupts::listen().context("cannot listen for signals")?;
        measure(config, dir, outputs, &interrupts).await
    });
    // A data directory may still be being copied; it is removed when that ends.
    runtime.shutdown_timeout(LONGEST_COPY);
    result
}
