//! Check that servers accept the variables of a plan, before anything is measured.

use std::collections::BTreeMap;

use anyhow::anyhow;
use logtrace_common::Variable;
use logtrace_driver::DriveError;
use logtrace_measure::errors::with_causes;
use logtrace_measure::run::{OpenServer, RunConfig, open_server, tear_down};
use logtrace_server::{ServerError, Storage};

use crate::cell::Cell;
use crate::runner::context::StudyContext;
use crate::runner::plan_lookup::plan_error;
use crate::runner::server::cell_config::run_config;
use crate::runner::server::loaded_data::{CheckedServer, fixed_settings};

/// Gives servers the settings of each cell. Fails with the first variable, of a server or a session, that a cell's server
/// does not know or refuses, and with its line in the plan. The server that was checked last still runs.
pub(crate) async fn check_settings<'c>(
    study: StudyContext<'_>,
    cells: &[&'c Cell],
) -> anyhow::Result<Option<CheckedServer<'c>>> {
    let mut servers: BTreeMap<String, Vec<(&Cell, RunConfig)>> = BTreeMap::new();
    for &cell in cells {
        let config = run_config(study, cell, 0, Storage::default());
        let key = format!("{:?} {:?}", cell.server, fixed_settings(&config));
        servers.entry(key).or_default().push((cell, config));
    }
    let mut last: Option<CheckedServer<'_>> = None;
    for mut cells in servers.into_values() {
        if let Some(checked) = last.take() {
            tear_down(checked.served.server, None, study.signals).await?;
        }
        // Cells that share a running server follow one another: the fewest restarts.
        cells.sort_by_cached_key(|(cell, _)| cell.server_key());
        for &(cell, ref config) in &cells {
            let served = match last.take() {
                None => start(study, cell, config).await?,
                Some(CheckedServer { served, .. }) => {
                    let changed = served.server.reconfigure(&config.settings);
                    let changed = study.signals.unless_ended(changed).await?;
                    let server = changed.map_err(|error| with_line(study, cell, with_causes(error)))?;
                    OpenServer { server, ..served }
                }
            };
            check_session(study, &served, cell).await?;
            last = Some(CheckedServer { served, cell });
        }
    }
    Ok(last)
}

async fn start(study: StudyContext<'_>, cell: &Cell, config: &RunConfig) -> anyhow::Result<OpenServer> {
    let message = format!("checking the variables of the plan on {}", cell.flavor);
    study.line.say(message);
    let log = study.dir.server_log(0)?;
    let started = open_server(config, log, None, study.signals, study.line).await;
    started.map_err(
        |error| match error.is::<ServerError>() && !config.settings.is_empty() {
            true => with_line(study, cell, format!("{error:#}")),
            false => error,
        },
    )
}

/// Checks the variables of a cell's sessions, on a server with the cell's settings: accepted values may depend on these.
async fn check_session(study: StudyContext<'_>, served: &OpenServer, cell: &Cell) -> anyhow::Result<()> {
    if cell.session.is_empty() {
        return Ok(());
    }
    let checked = served.target.check_session(&cell.session);
    match study.signals.unless_ended(checked).await? {
        Err(DriveError::Session { variable, reason }) => {
            let option = format!("session.{}", variable.name());
            Err(plan_error(study.plan, cell, &option, reason).into())
        }
        checked => Ok(checked?),
    }
}

/// Adds the line of the variable that an error of a server names.
fn with_line(study: StudyContext<'_>, cell: &Cell, text: String) -> anyhow::Error {
    let mut named = cell.settings.iter().map(Variable::name);
    let named = named.find(|name| text.contains(name) || text.contains(&name.replace('_', "-")));
    match named {
        Some(name) => plan_error(study.plan, cell, &format!("settings.{name}"), text).into(),
        None => anyhow!("{}: {text}", cell.key),
    }
}
