//! Order of a run: server, tables, one window, and teardown.

use anyhow::anyhow;

use crate::config::run_config::RunConfig;
use crate::errors::with_causes;
use crate::measurement::{Line, Signals};
use crate::outcome::run_outcome::RunOutcome;
use crate::outputs::Outputs;
use crate::run::server::open_server::open_server;
use crate::run::server::teardown::tear_down;
use crate::run::window::window;
use crate::say;

/// Measures. In any case stops a private server, or restores a running one.
pub async fn measure(
    config: &RunConfig,
    outputs: &Outputs<'_>,
    signals: &Signals,
) -> anyhow::Result<RunOutcome> {
    let line = Line::start("starting the server");
    let opened = open_server(config, outputs.dir.server_log(), None, signals, &line).await?;
    let work = async {
        let tables = opened.load(config, signals, &line).await?;
        window(config, outputs, signals, &opened, tables, &line).await
    };
    let result = signals
        .unless_aborted(work)
        .await
        .map_err(anyhow::Error::from)
        .flatten();
    line.say("stopping the server");
    let tables = (!config.keep_tables).then_some(opened.target);
    let given_back = tear_down(opened.server, tables, signals).await;
    line.clear();
    match (result, given_back) {
        (Ok(mut raw), given_back) => {
            raw.teardown_error = given_back.err().map(with_causes);
            if let Some(left) = &raw.teardown_error {
                // A reader of the report may come too late.
                say::lines(left);
            }
            Ok(raw)
        }
        (Err(error), Ok(())) => Err(error),
        (Err(error), Err(left)) => Err(anyhow!("{error:#}\n{left:#}")),
    }
}
