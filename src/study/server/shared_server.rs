//! Server of a study: it runs for a group of cells, and gets the settings of each.

use std::time::Instant;

use anyhow::Context;
use logtrace_server::{QueueGuard, Storage};
use logtrace_study::{Cell, DataUse};
use logtrace_tracer::Detaching;

use crate::run::{OpenServer, RunConfig, Tables, check_traceable, open_server, tear_down};
use crate::study::context::StudyContext;
use crate::study::directory::progress_file::TimeAccount;
use crate::study::server::cell_config::{run_config, storage};
use crate::study::server::disk_queue;
use crate::study::server::loaded_data::{CheckedServer, LoadedData};

/// Server that runs for the study, if any, and the data that servers start with.
#[derive(Debug)]
pub(crate) struct SharedServer<'a> {
    /// Study.
    pub(crate) study: StudyContext<'a>,
    /// Seed of the data.
    seed: u64,
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
    pub(crate) fn new(study: StudyContext<'a>, seed: u64) -> Self {
        Self {
            study,
            seed,
            data: LoadedData::default(),
            running: None,
            starts: 0,
        }
    }

    /// Makes a server ready for a cell, with its tables. Adds the time to `account`.
    pub(crate) async fn ready(
        &mut self,
        cell: &Cell,
        account: &mut TimeAccount,
    ) -> anyhow::Result<Ready<'_>> {
        let begun = Instant::now();
        let served = self.serve(cell).await;
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
        account: &mut TimeAccount,
    ) -> anyhow::Result<()> {
        let begun = Instant::now();
        let config = run_config(self.study, checked.cell, self.seed, Storage::default());
        let loaded = self.data.load_on(self.study, checked, &config).await;
        account.serving += begun.elapsed();
        loaded
    }

    /// Kills the server, if one runs: its state is unknown after a failed measurement.
    pub(crate) fn kill(&mut self) {
        self.running = None;
    }

    /// Stops the server, if one runs.
    pub(crate) async fn stop(&mut self) -> anyhow::Result<()> {
        let Some(running) = self.running.take() else {
            return Ok(());
        };
        self.study.line.say("stopping the server");
        tear_down(running.served.server, None, self.study.interrupts).await
    }

    /// Starts a server for a cell, or changes the variables of the one that runs. Returns the configuration of the cell.
    async fn serve(&mut self, cell: &Cell) -> anyhow::Result<RunConfig> {
        let study = self.study;
        let mut config = run_config(study, cell, self.seed, storage(cell));
        let suits = self.suits(cell);
        if !suits {
            // Two servers at a time would compete for memory.
            self.stop().await?;
        }
        let data = self.data.of(study, cell, &config, &mut self.starts).await?;
        if let Some(ratio) = cell.data_per_pool {
            config.settings.extend(data.pool(cell.flavor, ratio));
        }
        if let Some(running) = self.running.take().filter(|_| suits) {
            study.line.say("setting variables");
            let OpenServer { server, target } = running.served;
            let server = server.reconfigure(&config.server_settings()).await?;
            let served = OpenServer { server, target };
            self.running = Some(Running { served, ..running });
            return Ok(config);
        }
        self.starts += 1;
        let log = study.dir.server_log(self.starts)?;
        study.line.say("starting the server");
        let served = open_server(&config, log, Some(&data.files), study.interrupts, study.line).await?;
        let queue = disk_queue::set(cell, &served.server, study.home)?;
        let running = self.running.insert(Running {
            served,
            _queue: queue,
            key: key(cell),
            is_used: false,
            detaching: None,
        });
        check_traceable(&config, &running.served.server)?;
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
}

/// Returns a text that is equal for two cells if they can share a running server with its data.
fn key(cell: &Cell) -> String {
    format!("{} {}", cell.server_key(), cell.data_key())
}
