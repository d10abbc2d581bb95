//! The server of a study: started for a group of cells, given the settings of each, and started again where it must be.

use std::time::Instant;

use anyhow::Context;
use logtrace_server::Home;
use logtrace_study::{Cell, DataUse};

use super::config::{run_config, storage};
use super::directory::StudyDir;
use super::state::Account;
use crate::measurement::{Interrupts, Line};
use crate::run::{RunConfig, Served, Tables, give_back, serve};

/// Whatever server runs for the study, if one does.
#[derive(Debug)]
pub(crate) struct Host<'a> {
    dir: &'a StudyDir,
    home: &'a Home,
    /// Seed of the data.
    seed: u64,
    interrupts: &'a Interrupts,
    running: Option<Running>,
    starts: u32,
}

/// A server with its tables.
#[derive(Debug)]
struct Running {
    served: Served,
    key: String,
    data: String,
    /// Whether a turn was measured on its tables.
    is_used: bool,
}

impl<'a> Host<'a> {
    /// Before any server runs. `seed` is that of the data.
    pub(crate) fn new(dir: &'a StudyDir, home: &'a Home, seed: u64, interrupts: &'a Interrupts) -> Self {
        Self {
            dir,
            home,
            seed,
            interrupts,
            running: None,
            starts: 0,
        }
    }

    /// A server as a cell needs it, with its tables; what took how long goes to the account.
    pub(crate) async fn ready(
        &mut self,
        cell: &Cell,
        line: &Line,
        account: &mut Account,
    ) -> anyhow::Result<(&mut Served, Tables)> {
        let begun = Instant::now();
        let config = run_config(cell, self.seed, storage(cell)?, self.home);
        if !self.suits(cell) || !self.reconfigure(&config, line).await? {
            self.stop(line).await?;
            self.start(cell, &config, line).await?;
        }
        account.serving += begun.elapsed();
        let running = self.running.as_mut().context("no server runs")?;
        let tables = Tables {
            reused: std::mem::replace(&mut running.is_used, true),
            checked: None,
        };
        Ok((&mut running.served, tables))
    }

    /// Stops the server, if one runs.
    pub(crate) async fn stop(&mut self, line: &Line) -> anyhow::Result<()> {
        let Some(running) = self.running.take() else {
            return Ok(());
        };
        line.say("stopping the server");
        give_back(running.served.server, None, self.interrupts).await
    }

    /// Whether the server that runs can be had for a cell without a new start, but for settings.
    fn suits(&self, cell: &Cell) -> bool {
        let is_fresh = |running: &Running| cell.data == DataUse::Kept || !running.is_used;
        self.running.as_ref().is_some_and(|running| {
            running.served.server.is_running()
                && running.key == cell.server_key()
                && running.data == cell.data_key()
                && is_fresh(running)
        })
    }

    /// Gives the server that runs the settings of a cell; whether it has all of them now.
    async fn reconfigure(&mut self, config: &RunConfig, line: &Line) -> anyhow::Result<bool> {
        let Some(running) = &mut self.running else {
            return Ok(false);
        };
        line.say("setting variables");
        let done = running
            .served
            .server
            .reconfigure(&config.server_settings())
            .await?;
        Ok(done.need_restart.is_empty())
    }

    async fn start(&mut self, cell: &Cell, config: &RunConfig, line: &Line) -> anyhow::Result<()> {
        self.starts += 1;
        let log = self.dir.server_log(self.starts)?;
        line.say("starting the server");
        let served = serve(config, log.clone(), self.interrupts, line).await?;
        let loaded = served.load(config, self.interrupts, line).await;
        self.running = Some(Running {
            served,
            key: cell.server_key(),
            data: cell.data_key(),
            is_used: false,
        });
        loaded.map(drop)
    }
}
