//! The server of a study: started for a group of cells, and given the settings of each cell of the group.

use std::time::Instant;

use anyhow::Context;
use logtrace_server::{Home, QueueGuard};
use logtrace_study::{Cell, DataUse};
use logtrace_tracer::Detaching;

use crate::measurement::{Line, Signals};
use crate::run::{OpenServer, RunConfig, Storage, Tables, check_traceable, open_server, tear_down};
use crate::study::checks::settings_check::Checked;
use crate::study::directory::progress_file::Account;
use crate::study::directory::study_dir::StudyDir;
use crate::study::server::cell_config::{run_config, storage};
use crate::study::server::disk_queue;
use crate::study::server::loaded_data::Data;

/// Whatever server runs for the study, if one does, and the data that servers start with.
#[derive(Debug)]
pub(crate) struct Host<'a> {
    dir: &'a StudyDir,
    home: &'a Home,
    /// Seed of the data.
    seed: u64,
    interrupts: &'a Signals,
    data: Data,
    running: Option<Running>,
    starts: u32,
}

/// A server with its tables.
#[derive(Debug)]
struct Running {
    served: OpenServer,
    /// The settings of the disk under it.
    _queue: Option<QueueGuard>,
    key: String,
    /// Whether a turn was measured on its tables.
    is_used: bool,
    /// The probes of the turn that was measured last, on their way out.
    detaching: Option<Detaching>,
}

/// A server that a cell can be measured on.
#[derive(Debug)]
pub(crate) struct Ready<'a> {
    /// The server.
    pub(crate) served: &'a mut OpenServer,
    /// Its tables.
    pub(crate) tables: Tables,
    /// The run of the cell, with the seed of the data.
    pub(crate) config: RunConfig,
    /// Probes of an earlier turn that are not gone yet, and later those of this one.
    pub(crate) detaching: &'a mut Option<Detaching>,
}

impl<'a> Host<'a> {
    /// Before any server runs. `seed` is that of the data.
    pub(crate) fn new(dir: &'a StudyDir, home: &'a Home, seed: u64, interrupts: &'a Signals) -> Self {
        Self {
            dir,
            home,
            seed,
            interrupts,
            data: Data::default(),
            running: None,
            starts: 0,
        }
    }

    /// The signals that it heeds.
    pub(crate) fn interrupts(&self) -> &'a Signals {
        self.interrupts
    }

    /// A server as a cell needs it, with its tables. How long that takes goes to the account.
    pub(crate) async fn ready(
        &mut self,
        cell: &Cell,
        line: &Line,
        account: &mut Account,
    ) -> anyhow::Result<Ready<'_>> {
        let begun = Instant::now();
        let served = self.serve(cell, line).await;
        account.serving += begun.elapsed();
        let config = served?;
        let running = self.running.as_mut().context("no server runs")?;
        let tables = Tables {
            reused: std::mem::replace(&mut running.is_used, true),
            checked: None,
        };
        Ok(Ready {
            served: &mut running.served,
            tables,
            config,
            detaching: &mut running.detaching,
        })
    }

    /// Loads data with a server that was asked about its variables: one start less.
    pub(crate) async fn load(
        &mut self,
        checked: Checked<'_>,
        line: &Line,
        account: &mut Account,
    ) -> anyhow::Result<()> {
        let begun = Instant::now();
        let Checked { served, cell } = checked;
        let config = run_config(cell, self.seed, Storage::default(), self.home);
        let loaded = self
            .data
            .load_on(served, (cell, &config), self.interrupts, line)
            .await;
        account.serving += begun.elapsed();
        loaded
    }

    /// Kills the server, if one runs: after a turn that failed nobody knows what state it is in.
    pub(crate) fn give_up(&mut self) {
        self.running = None;
    }

    /// Stops the server, if one runs.
    pub(crate) async fn stop(&mut self, line: &Line) -> anyhow::Result<()> {
        let Some(running) = self.running.take() else {
            return Ok(());
        };
        line.say("stopping the server");
        tear_down(running.served.server, None, self.interrupts).await
    }

    async fn serve(&mut self, cell: &Cell, line: &Line) -> anyhow::Result<RunConfig> {
        let mut config = run_config(cell, self.seed, storage(cell)?, self.home);
        let suits = self.suits(cell);
        if !suits {
            // Two servers at a time would take each other's memory.
            self.stop(line).await?;
        }
        let starts = &mut self.starts;
        let log = || {
            *starts += 1;
            self.dir.server_log(*starts)
        };
        let data = self.data.of(cell, &config, log, self.interrupts, line).await?;
        config.settings.extend(
            cell.data_per_pool
                .iter()
                .flat_map(|&ratio| data.pool(cell.flavor, ratio)),
        );
        match self.running.take() {
            Some(mut running) if suits => {
                line.say("setting variables");
                let server = running.served.server;
                running.served.server = server.reconfigure(&config.server_settings()).await?;
                self.running = Some(running);
            }
            _ => self.start(cell, &config, line).await?,
        }
        Ok(config)
    }

    /// Checks whether the server that runs can measure a cell once it has the cell's settings.
    fn suits(&self, cell: &Cell) -> bool {
        // Unique numbers of a file's workload repeat with the seed, and that is the same for all cells of a block.
        let goes_on = cell.data == DataUse::Kept && cell.requests.custom().is_none();
        self.running.as_ref().is_some_and(|running| {
            running.served.server.is_running() && running.key == key(cell) && (goes_on || !running.is_used)
        })
    }

    async fn start(&mut self, cell: &Cell, config: &RunConfig, line: &Line) -> anyhow::Result<()> {
        self.starts += 1;
        let log = self.dir.server_log(self.starts)?;
        line.say("starting the server");
        // It is there: nothing is loaded.
        let none = || Err(anyhow::anyhow!("the data of {} is gone", cell.key));
        let data = self.data.of(cell, config, none, self.interrupts, line).await?;
        let served = open_server(config, log, Some(&data.kept), self.interrupts, line).await?;
        let queue = disk_queue::set(cell, &served.server, self.home)?;
        let running = self.running.insert(Running {
            served,
            _queue: queue,
            key: key(cell),
            is_used: false,
            detaching: None,
        });
        check_traceable(config, &running.served.server)
    }
}

/// The same for cells that can share a running server with its data.
fn key(cell: &Cell) -> String {
    format!("{} {}", cell.server_key(), cell.data_key())
}
