//! Whether servers take the variables of a plan, asked before anything is measured.

use std::collections::BTreeMap;
use std::fmt::Display;

use anyhow::anyhow;
use logtrace_driver::DriveError;
use logtrace_server::{Home, ServerError, Setting};
use logtrace_study::{Cell, Plan};

use crate::exit::UsageError;
use crate::measurement::{Interrupts, Line};
use crate::run::{RunConfig, Served, Storage, give_back, serve};
use crate::study::directory::study_dir::StudyDir;
use crate::study::server::cell_config::run_config;
use crate::study::server::loaded_data::fixed;

/// A server that was asked, as it is when only what a data directory is made with is set, and a cell of it.
pub(crate) struct Checked<'c> {
    pub(crate) served: Served,
    pub(crate) cell: &'c Cell,
}

/// What a check needs.
pub(crate) struct SettingsCheck<'a> {
    pub(crate) plan: &'a Plan,
    pub(crate) dir: &'a StudyDir,
    pub(crate) home: &'a Home,
    pub(crate) interrupts: &'a Interrupts,
    pub(crate) line: &'a Line,
}

impl SettingsCheck<'_> {
    /// Fails with the first variable, of a server or a session, that a cell's server does not know or whose value it
    /// refuses, told with its line. Each server is started once, and once more for each combination of variables that only
    /// a start can set. The one that was asked last still runs.
    pub(crate) async fn check<'c>(&self, cells: &[&'c Cell]) -> anyhow::Result<Option<Checked<'c>>> {
        let mut servers: BTreeMap<String, Vec<&Cell>> = BTreeMap::new();
        for cell in cells {
            let key = format!("{:?} {:?}", cell.server, fixed(&self.config(cell)));
            servers.entry(key).or_default().push(cell);
        }
        let mut last: Option<Checked<'_>> = None;
        for cells in servers.values() {
            if let Some(checked) = last.take() {
                give_back(checked.served.server, None, self.interrupts).await?;
            }
            last = self.check_server(cells).await?;
        }
        Ok(last)
    }

    /// Cells of one server.
    async fn check_server<'c>(&self, cells: &[&'c Cell]) -> anyhow::Result<Option<Checked<'c>>> {
        let Some(&cell) = cells.first() else {
            return Ok(None);
        };
        self.line.say(format!(
            "asking {} whether it takes the plan's variables",
            cell.flavor
        ));
        let mut served = self.start(cell, fixed(&self.config(cell))).await?;
        match self.check_running(&mut served, cells).await {
            Ok(at_start) => {
                for (cell, settings) in at_start {
                    let served = self.start(cell, settings).await?;
                    give_back(served.server, None, self.interrupts).await?;
                }
                Ok(Some(Checked { served, cell }))
            }
            Err(error) => {
                give_back(served.server, None, self.interrupts).await?;
                Err(error)
            }
        }
    }

    /// What can be set while the server runs is. Returns what only a start can, each combination once, with a cell that has
    /// it.
    async fn check_running<'c>(
        &self,
        served: &mut Served,
        cells: &[&'c Cell],
    ) -> anyhow::Result<Vec<(&'c Cell, Vec<Setting>)>> {
        let mut at_start: Vec<(&Cell, Vec<Setting>)> = Vec::new();
        for cell in cells {
            let wanted = self.config(cell).settings;
            let set = self
                .interrupts
                .unless_ended(served.server.reconfigure(&wanted))
                .await?;
            let done = match set {
                Ok(done) => done,
                Err(error @ ServerError::Set(_)) => return Err(self.told(cell, error)),
                Err(error) => return Err(error.into()),
            };
            let needs_start = |setting: &Setting| done.need_restart.iter().any(|name| name == setting.name());
            self.check_session(served, cell).await?;
            let settings: Vec<Setting> = wanted.into_iter().filter(needs_start).collect();
            if !settings.is_empty() && !at_start.iter().any(|(_, known)| *known == settings) {
                at_start.push((cell, settings));
            }
        }
        Ok(at_start)
    }

    /// On a server that has the cell's settings: which values a session takes may depend on them.
    async fn check_session(&self, served: &Served, cell: &Cell) -> anyhow::Result<()> {
        let session = self.config(cell).session;
        if session.is_empty() {
            return Ok(());
        }
        let checked = served.target.check_session(&session);
        match self.interrupts.unless_ended(checked).await? {
            Err(DriveError::Session { variable, source }) => {
                let option = format!("session.{}", variable.name());
                Err(UsageError(self.plan.error(cell, &option, source).to_string()).into())
            }
            checked => Ok(checked?),
        }
    }

    async fn start(&self, cell: &Cell, settings: Vec<Setting>) -> anyhow::Result<Served> {
        let config = RunConfig {
            settings,
            ..self.config(cell)
        };
        let started = serve(&config, self.dir.server_log(0)?, None, self.interrupts, self.line).await;
        started.map_err(
            |error| match error.is::<ServerError>() && !config.settings.is_empty() {
                true => self.told(cell, format!("{error:#}")),
                false => error,
            },
        )
    }

    fn config(&self, cell: &Cell) -> RunConfig {
        run_config(cell, 0, Storage::default(), self.home)
    }

    /// An error of a server, told with the line of the variable that it is about.
    fn told(&self, cell: &Cell, error: impl Display) -> anyhow::Error {
        let text = error.to_string();
        let mut named = cell.settings.iter().map(|chosen| chosen.value.name());
        let named = named.find(|name| text.contains(name) || text.contains(&name.replace('_', "-")));
        match named {
            Some(name) => {
                let option = format!("settings.{name}");
                UsageError(self.plan.error(cell, &option, text).to_string()).into()
            }
            None => anyhow!("{}: {text}", cell.key),
        }
    }
}
