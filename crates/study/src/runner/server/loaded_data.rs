//! Data of the cells: loaded once for each server and workload, and copied for each start of a server.

use std::fs;
use std::io;
use std::path::Path;

use anyhow::Context;
use logtrace_common::{Flavor, Variable};
use logtrace_measure::run::{DATABASE, OpenServer, RunConfig, open_server};
use logtrace_server::{DataSnapshot, Storage, buffer_pool, is_fixed_at_initialisation};

use crate::cell::Cell;
use crate::runner::context::StudyContext;

/// Server that accepted the settings of a cell.
pub(crate) struct CheckedServer<'c> {
    pub(crate) served: OpenServer,
    pub(crate) cell: &'c Cell,
}

/// Data that is loaded so far.
#[derive(Debug, Default)]
pub(crate) struct LoadedData {
    snapshots: Vec<(String, CellData)>,
}

/// Data of one server and workload.
#[derive(Debug)]
pub(crate) struct CellData {
    /// Files of the server.
    pub(crate) files: DataSnapshot,
    /// Size of the tables' files in bytes.
    bytes: u64,
}

impl LoadedData {
    /// Returns the data of a cell, and loads it before if needed. `config` is that of the cell, with the seed of the data.
    /// Counts the start of the loading server in `starts`.
    pub(crate) async fn of(
        &mut self,
        study: StudyContext<'_>,
        cell: &Cell,
        config: &RunConfig,
        starts: &mut u32,
    ) -> anyhow::Result<&CellData> {
        let key = key(cell, config);
        let at = match self.snapshots.iter().position(|(known, _)| *known == key) {
            Some(at) => at,
            None => {
                *starts += 1;
                let (log, config) = (study.dir.server_log(*starts)?, loading_config(config));
                study.line.say("starting a server to load the data");
                let served = open_server(&config, log, None, study.signals, study.line).await?;
                self.snapshots.push((key, load(study, served, &config).await?));
                self.snapshots.len() - 1
            }
        };
        Ok(&self.snapshots[at].1)
    }

    /// Loads the data of a cell with a server that runs, and stops the server. `config` is that of the cell,
    /// with the seed of the data.
    pub(crate) async fn load_on(
        &mut self,
        study: StudyContext<'_>,
        checked: CheckedServer<'_>,
        config: &RunConfig,
    ) -> anyhow::Result<()> {
        let CheckedServer { served, cell } = checked;
        let (key, config) = (key(cell, config), loading_config(config));
        let settings = config.server_settings();
        let reconfigured = served.server.reconfigure(&settings);
        let server = study.signals.unless_ended(reconfigured).await??;
        let served = OpenServer { server, ..served };
        self.snapshots.push((key, load(study, served, &config).await?));
        Ok(())
    }
}

impl CellData {
    /// Returns the settings of a buffer pool that is `data_per_pool` times smaller than the data.
    pub(crate) fn pool(&self, flavor: Flavor, data_per_pool: f64) -> Vec<Variable> {
        buffer_pool(flavor, (self.bytes as f64 / data_per_pool) as u64)
    }
}

/// Returns a text that is equal for two cells if they can share data.
fn key(cell: &Cell, config: &RunConfig) -> String {
    let fixed = fixed_settings(config);
    format!("{:?} {fixed:?} {}", cell.server, cell.data_key())
}

/// Returns the settings that a data directory is initialized with and that cannot change later.
pub(crate) fn fixed_settings(config: &RunConfig) -> Vec<Variable> {
    let settings = config.settings.iter();
    let fixed = settings.filter(|setting| is_fixed_at_initialisation(setting));
    fixed.cloned().collect()
}

/// Returns the configuration of a server of its own that loads data in the default directory. It need not be durable: its
/// files are complete when it has stopped.
fn loading_config(config: &RunConfig) -> RunConfig {
    let mut settings = fixed_settings(config);
    settings.push(Variable::new("innodb_flush_log_at_trx_commit", "0"));
    settings.push(Variable::new("sync_binlog", "0"));
    RunConfig {
        settings,
        storage: Storage::default(),
        ..config.clone()
    }
}

/// Loads data with a server, and stops it.
async fn load(study: StudyContext<'_>, served: OpenServer, config: &RunConfig) -> anyhow::Result<CellData> {
    served.load(config, study.signals, study.line).await?;
    study.line.say("saving the data");
    let stopped = served.server.stop_and_snapshot();
    let files = study.signals.unless_ended(stopped).await??;
    let tables = files.directory().join("data").join(DATABASE);
    let bytes = size(&tables).with_context(|| format!("cannot read the size of {}", tables.display()))?;
    Ok(CellData { files, bytes })
}

fn size(directory: &Path) -> io::Result<u64> {
    let mut bytes = 0;
    for entry in fs::read_dir(directory)? {
        bytes += entry?.metadata()?.len();
    }
    Ok(bytes)
}
