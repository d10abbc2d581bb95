//! Server of a study: it runs for a group of cells, and gets the settings of each.

use std::time::Instant;

use anyhow::Context;
use logtrace_server::{Home, QueueGuard};
use logtrace_study::{Cell, DataUse};
use logtrace_tracer::Detaching;

use crate::measurement::{Line, Signals};
use crate::run::{OpenServer, RunConfig, Storage, Tables, check_traceable, open_server, tear_down};
use crate::study::directory::progress_file::TimeAccount;
use crate::study::directory::study_dir::StudyDir;
use crate::study::server::cell_config::{run_config, storage};
use crate::study::server::disk_queue;
use crate::study::server::loaded_data::{CheckedServer, LoadedData};

/// Server that runs for the study, if any, and the data that servers start with.
#[derive(Debug)]
pub(crate) struct SharedServer<'a> {
    dir: &'a StudyDir,
    home: &'a Home,
    /// Seed of the data.
    seed: u64,
    interrupts: &'a Signals,
    data: LoadedData,
    running: Option<Running>,
    starts: u32,
}

/// Server with its tables.
#[derive(Debug)]
struct Running {
    served: OpenServer,
    /// Settings of the disk under the server.
    _queue: Option<QueueGuard>,
    key: String,
    /// Whether a measurement used the tables.
    is_used: bool,
    /// Probes of the last measurement, which are being detached.
    detaching: Option<Detaching>,
}

/// Server that is ready for a measurement.
#[derive(Debug)]
pub(crate) struct Ready<'a> {
    /// Server.
    pub(crate) served: &'a mut OpenServer,
    /// Tables of the server.
    pub(crate) tables: Tables,
    /// Configuration of the run, with the seed of the data.
    pub(crate) config: RunConfig,
    /// Probes of the measurement before, which may still be attached; afterwards those of this one.
    pub(crate) detaching: &'a mut Option<Detaching>,
}

impl<'a> SharedServer<'a> {
    /// Creates the state before any server runs. `seed` is that of the data.
    pub(crate) fn new(dir: &'a StudyDir, home: &'a Home, seed: u64, interrupts: &'a Signals) -> Self {
        Self {
            dir,
            home,
            seed,
            interrupts,
            data: LoadedData::default(),
            running: None,
            starts: 0,
        }
    }

    /// Returns the directory of the study.
    pub(crate) fn dir(&self) -> &'a StudyDir {
        self.dir
    }

    /// Returns the signals that end the study.
    pub(crate) fn interrupts(&self) -> &'a Signals {
        self.interrupts
    }

    /// Makes a server ready for a cell, with its tables. Adds the time to `account`.
    pub(crate) async fn ready(
        &mut self,
        cell: &Cell,
        line: &Line,
        account: &mut TimeAccount,
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

    /// Loads data with the server that the check of variables left running. That saves a start.
    pub(crate) async fn load(
        &mut self,
        checked: CheckedServer<'_>,
        line: &Line,
        account: &mut TimeAccount,
    ) -> anyhow::Result<()> {
        let begun = Instant::now();
        let CheckedServer { served, cell } = checked;
        let config = run_config(cell, self.seed, Storage::default(), self.home);
        let loaded = self
            .data
            .load_on(served, (cell, &config), self.interrupts, line)
            .await;
        account.serving += begun.elapsed();
        loaded
    }

    /// Kills the server, if one runs: its state is unknown after a failed measurement.
    pub(crate) fn kill(&mut self) {
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
        let mut config = run_config(cell, self.seed, storage(cell), self.home);
        let suits = self.suits(cell);
        if !suits {
            // Two servers at a time would compete for memory.
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
        // Unique numbers of a workload from a file repeat with the seed, and all cells of a block have the same seed.
        let can_reuse_tables = cell.data == DataUse::Kept && cell.requests.custom().is_none();
        self.running.as_ref().is_some_and(|running| {
            running.served.server.is_running()
                && running.key == key(cell)
                && (can_reuse_tables || !running.is_used)
        })
    }

    async fn start(&mut self, cell: &Cell, config: &RunConfig, line: &Line) -> anyhow::Result<()> {
        self.starts += 1;
        let log = self.dir.server_log(self.starts)?;
        line.say("starting the server");
        // The data is loaded already, so there is no log.
        let no_log = || Err(anyhow::anyhow!("the data of {} is gone", cell.key));
        let data = self.data.of(cell, config, no_log, self.interrupts, line).await?;
        let served = open_server(config, log, Some(&data.files), self.interrupts, line).await?;
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

/// Returns a text that is equal for two cells if they can share a running server with its data.
fn key(cell: &Cell) -> String {
    format!("{} {}", cell.server_key(), cell.data_key())
}
