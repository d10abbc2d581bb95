//! Server of a study, its data and its disk.

pub(crate) mod cell_config;
pub(crate) mod kernel_settings;
pub(crate) mod loaded_data;
pub(crate) mod quiesce;

use std::time::Instant;

use anyhow::Context;
use logtrace_measure::measurement::Detaching;
use logtrace_measure::run::{OpenServer, RunConfig, Tables, check_traceable, open_server, tear_down};
use logtrace_server::{KernelSettingsGuard, Storage};

use crate::cell::{Cell, DataUse};
use crate::runner::context::StudyContext;
use crate::runner::directory::progress_file::TimeAccount;
use crate::runner::server::cell_config::{run_config, storage};
use crate::runner::server::loaded_data::{CheckedServer, LoadedData};
use crate::runner::server::quiesce::{answered, connections_ended};

/// Servers that run for the study, and the data that servers start with.
#[derive(Debug)]
pub(crate) struct SharedServers<'a> {
    /// Study.
    pub(crate) study: StudyContext<'a>,
    /// Seed of the data.
    seed: u64,
    data: LoadedData,
    /// Most servers that run side by side.
    most: usize,
    /// Servers that run, the one that was used last at the end.
    running: Vec<LoadedServer>,
    starts: u32,
}

/// Server with its tables.
#[derive(Debug)]
struct LoadedServer {
    served: OpenServer,
    /// Settings of the kernel, and of the disk under the server.
    _kernel: Vec<KernelSettingsGuard>,
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
    /// Receives the probes of the measurement, which are still attached after it.
    pub(crate) detaching: &'a mut Option<Detaching>,
}

impl<'a> SharedServers<'a> {
    /// Creates the state before any server runs. `seed` is that of the data, and `most` servers run side by side.
    pub(crate) fn new(study: StudyContext<'a>, seed: u64, most: usize) -> Self {
        Self {
            study,
            seed,
            data: LoadedData::default(),
            most,
            running: Vec::new(),
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
        let running = self.running.last_mut().context("no server runs")?;
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

    /// Kills the server that was used last, if any: its state is unknown after a failed measurement.
    pub(crate) fn kill(&mut self) {
        self.running.pop();
    }

    pub(crate) async fn stop(&mut self) -> anyhow::Result<()> {
        while !self.running.is_empty() {
            self.stop_one(0).await?;
        }
        Ok(())
    }

    /// Returns whether at most one server runs.
    pub(crate) fn is_alone(&self) -> bool {
        self.running.len() < 2
    }

    /// Takes the probes of earlier measurements, which may still be attached: they would disturb the next one.
    pub(crate) fn take_detaching(&mut self) -> Vec<Detaching> {
        let running = self.running.iter_mut();
        running.filter_map(|one| one.detaching.take()).collect()
    }

    async fn stop_one(&mut self, at: usize) -> anyhow::Result<()> {
        let stopped = self.running.remove(at);
        self.study.line.say("stopping a server");
        tear_down(stopped.served.server, None, self.study.signals).await
    }

    /// Starts a server for a cell, or changes the variables of the one that runs. Returns the configuration of the cell.
    async fn serve(&mut self, cell: &Cell) -> anyhow::Result<RunConfig> {
        let study = self.study;
        let mut config = run_config(study, cell, self.seed, storage(cell));
        let suiting = self.running.iter().position(|one| one.suits(cell));
        if suiting.is_none() {
            self.make_room(cell).await?;
        }
        let data = self.data.of(study, cell, &config, &mut self.starts).await?;
        if let Some(ratio) = cell.data_per_pool {
            config.settings.extend(data.pool(cell.flavor, ratio));
        }
        if let Some(at) = suiting {
            study.line.say("setting variables");
            let running = self.running.remove(at);
            let OpenServer { server, target } = running.served;
            let settings = config.server_settings();
            let reconfigured = async {
                connections_ended(&server).await;
                Ok(server.reconfigure(&settings).await?)
            };
            let server = answered(reconfigured).await?;
            let served = OpenServer { server, target };
            self.running.push(LoadedServer { served, ..running });
            return Ok(config);
        }
        self.starts += 1;
        let log = study.dir.server_log(self.starts)?;
        study.line.say("starting the server");
        let served = open_server(&config, log, Some(&data.files), study.signals, study.line).await?;
        let kernel = kernel_settings::set(cell, &served.server, study.home)?;
        check_traceable(&config, &served.server)?;
        self.running.push(LoadedServer {
            served,
            _kernel: kernel,
            key: key(cell),
            is_used: false,
            detaching: None,
        });
        Ok(config)
    }

    /// Stops the server of a cell that does not suit it any more, and as many as needed for one more: they would compete for
    /// memory.
    async fn make_room(&mut self, cell: &Cell) -> anyhow::Result<()> {
        let key = key(cell);
        while let Some(at) = self.running.iter().position(|one| one.key == key) {
            self.stop_one(at).await?;
        }
        while self.running.len() >= self.most {
            self.stop_one(0).await?;
        }
        Ok(())
    }
}

impl LoadedServer {
    /// Returns whether it can measure a cell once it has the cell's settings.
    fn suits(&self, cell: &Cell) -> bool {
        // Unique numbers of a workload from a file repeat with the seed, and all cells of a block have the same seed.
        let can_reuse_tables = cell.data == DataUse::Kept && cell.requests.custom().is_none();
        self.served.server.is_running() && self.key == key(cell) && (can_reuse_tables || !self.is_used)
    }
}

/// Returns a text that is equal for two cells if they can share a running server with its data.
fn key(cell: &Cell) -> String {
    format!("{} {}", cell.server_key(), cell.data_key())
}
