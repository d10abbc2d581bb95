//! `logtrace run`: the main job.

use std::io::{self, IsTerminal};

use anyhow::{Context, anyhow};
use jiff::Zoned;
use logtrace_events::RunDir;
use logtrace_report::render::{Format, Input, render};
use tokio::runtime::Builder;

use super::print;
use crate::cli::RunArgs;
use crate::exit::Exit;
use crate::run::{Interrupts, Outputs, Raw, RunConfig, discard, document, measure, preflight};

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
            return Err(match discard(&dir) {
                Some(kept) => anyhow!("{error:#}\n{kept}"),
                None => error,
            });
        }
    };
    let (document, degraded) = document(&config, &started, &raw);
    document.check()?;
    outputs.finished(&raw, &document)?;
    let color = io::stdout().is_terminal();
    print(&render(
        Format::Terminal,
        Input {
            document: &document,
            stacks: &[],
            color,
        },
    )?)?;
    print(&format!("\nreport: {}\n", dir.report_html().display()))?;
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
    // After an abort a driver's thread may still wait for a server that is gone.
    runtime.shutdown_background();
    result
}
