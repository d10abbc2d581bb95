//! The order of a run: server, tables, one window; and taking it all down again.

use anyhow::anyhow;

use crate::exit::with_causes;
use crate::measurement::{Interrupts, Line, Outputs};
use crate::run::config::run_config::RunConfig;
use crate::run::outcome::raw::Raw;
use crate::run::server::open_server::serve;
use crate::run::server::teardown::give_back;
use crate::run::window::window;

/// Measures. Whatever happens, the server is taken down, or given back as it was.
pub(crate) async fn measure(
    config: &RunConfig,
    outputs: &Outputs<'_>,
    interrupts: &Interrupts,
) -> anyhow::Result<Raw> {
    let line = Line::start("starting the server");
    let served = serve(config, outputs.dir.server_log(), None, interrupts, &line).await?;
    let work = async {
        let tables = served.load(config, interrupts, &line).await?;
        window(config, outputs, interrupts, &served, tables, &line).await
    };
    let result = interrupts
        .unless_aborted(work)
        .await
        .map_err(anyhow::Error::from)
        .flatten();
    line.say("stopping the server");
    let tables = (!config.keep_tables).then_some(served.target);
    let given_back = give_back(served.server, tables, interrupts).await;
    line.clear();
    match (result, given_back) {
        (Ok(mut raw), given_back) => {
            raw.not_given_back = given_back.err().map(with_causes);
            Ok(raw)
        }
        (Err(error), Ok(())) => Err(error),
        (Err(error), Err(left)) => Err(anyhow!("{error:#}\n{left:#}")),
    }
}
