//! Check that servers accept the variables of a plan, before anything is measured.

use std::collections::BTreeMap;
use std::fmt::Display;

use anyhow::anyhow;
use logtrace_common::Variable;
use logtrace_driver::DriveError;
use logtrace_server::{Home, ServerError};
use logtrace_study::{Cell, Plan};

use crate::exit::with_causes;
use crate::measurement::{Line, Signals};
use crate::run::{OpenServer, RunConfig, Storage, open_server, tear_down};
use crate::study::directory::study_dir::StudyDir;
use crate::study::plan_lookup::plan_error;
use crate::study::server::cell_config::run_config;
use crate::study::server::loaded_data::{CheckedServer, fixed_settings};

/// Check of the variables of a plan.
pub(crate) struct SettingsCheck<'a> {
    pub(crate) plan: &'a Plan,
    pub(crate) dir: &'a StudyDir,
    pub(crate) home: &'a Home,
    pub(crate) interrupts: &'a Signals,
    pub(crate) line: &'a Line,
}

impl SettingsCheck<'_> {
    /// Gives servers the settings of each cell. Fails with the first variable, of a server or a session, that a cell's server
    /// does not know or refuses, and with its line in the plan. The server that was checked last still runs.
    pub(crate) async fn check<'c>(&self, cells: &[&'c Cell]) -> anyhow::Result<Option<CheckedServer<'c>>> {
        let mut servers: BTreeMap<String, Vec<&Cell>> = BTreeMap::new();
        for cell in cells {
            let key = format!("{:?} {:?}", cell.server, fixed_settings(&self.config(cell)));
            servers.entry(key).or_default().push(cell);
        }
        let mut last: Option<CheckedServer<'_>> = None;
        for mut cells in servers.into_values() {
            if let Some(checked) = last.take() {
                tear_down(checked.served.server, None, self.interrupts).await?;
            }
            // Cells that share a running server follow one another: the fewest restarts.
            cells.sort_by_cached_key(|cell| cell.server_key());
            last = self.check_server(&cells).await?;
        }
        Ok(last)
    }

    /// Checks cells of one server, which can start with the same data directory.
    async fn check_server<'c>(&self, cells: &[&'c Cell]) -> anyhow::Result<Option<CheckedServer<'c>>> {
        let mut checked: Option<CheckedServer<'_>> = None;
        for &cell in cells {
            let served = match checked.take() {
                None => {
                    self.line
                        .say(format!("checking the variables of the plan on {}", cell.flavor));
                    self.start(cell).await?
                }
                Some(CheckedServer { served, .. }) => {
                    let settings = self.config(cell).settings;
                    let server = self
                        .interrupts
                        .unless_ended(served.server.reconfigure(&settings))
                        .await?;
                    let server = server.map_err(|error| self.with_line(cell, with_causes(error)))?;
                    OpenServer { server, ..served }
                }
            };
            self.check_session(&served, cell).await?;
            checked = Some(CheckedServer { served, cell });
        }
        Ok(checked)
    }

    /// Checks the variables of a cell's sessions, on a server with the cell's settings: accepted values may depend on these.
    async fn check_session(&self, served: &OpenServer, cell: &Cell) -> anyhow::Result<()> {
        let session = self.config(cell).session;
        if session.is_empty() {
            return Ok(());
        }
        let checked = served.target.check_session(&session);
        match self.interrupts.unless_ended(checked).await? {
            Err(DriveError::Session { variable, reason }) => {
                let option = format!("session.{}", variable.name());
                Err(plan_error(self.plan, cell, &option, reason).into())
            }
            checked => Ok(checked?),
        }
    }

    async fn start(&self, cell: &Cell) -> anyhow::Result<OpenServer> {
        let config = self.config(cell);
        let started = open_server(&config, self.dir.server_log(0)?, None, self.interrupts, self.line).await;
        started.map_err(
            |error| match error.is::<ServerError>() && !config.settings.is_empty() {
                true => self.with_line(cell, format!("{error:#}")),
                false => error,
            },
        )
    }

    fn config(&self, cell: &Cell) -> RunConfig {
        run_config(cell, 0, Storage::default(), self.home)
    }

    /// Adds the line of the variable that an error of a server names.
    fn with_line(&self, cell: &Cell, error: impl Display) -> anyhow::Error {
        let text = error.to_string();
        let mut named = cell.settings.iter().map(Variable::name);
        let named = named.find(|name| text.contains(name) || text.contains(&name.replace('_', "-")));
        match named {
            Some(name) => plan_error(self.plan, cell, &format!("settings.{name}"), text).into(),
            None => anyhow!("{}: {text}", cell.key),
        }
    }
}
