//! `logtrace run`: measures under a load.

use logtrace_measure::preflight::check_run;
use logtrace_measure::run::{measure, remote_server, results};
use logtrace_measure::say;
use logtrace_server::ServerChoice;

use super::left_servers::name_left;
use super::measure_and_report::measure_and_report;
use crate::cli::run::RunArgs;
use crate::exit::Exit;

/// Measures, writes the run directory, and prints the report.
pub(crate) fn run(arguments: &RunArgs) -> anyhow::Result<Exit> {
    arguments.shown.quiet.apply();
    let config = arguments.config()?;
    check_run(&config)?;
    config.cpus.take_client()?;
    let running = config.server.as_ref().and_then(ServerChoice::running);
    name_left(&config.home, running);
    if config.is_remote {
        say::progress(&remote_server(config.tracing.record));
    }
    let shown = (config.out.as_path(), arguments.shown.format());
    measure_and_report(shown, config.requests.name(), async |outputs, signals| {
        let raw = measure(&config, outputs, signals).await?;
        Ok(results(&config, outputs.started, raw))
    })
}
