//! The data of a study's cells: loaded once for each server and workload, and copied for each start of a server.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use anyhow::Context;
use logtrace_common::Flavor;
use logtrace_server::{DataSnapshot, Setting, buffer_pool};
use logtrace_study::Cell;

use crate::measurement::{Line, Signals};
use crate::run::{DATABASE, OpenServer, RunConfig, Storage, open_server};

/// All that was loaded.
#[derive(Debug, Default)]
pub(crate) struct Data {
    kept: Vec<(String, Loaded)>,
}

/// The data of one server and workload.
#[derive(Debug)]
pub(crate) struct Loaded {
    /// Its files.
    pub(crate) kept: DataSnapshot,
    /// Bytes of the tables' files.
    bytes: u64,
}

impl Data {
    /// The data of a cell, which is loaded if it is not yet. `config` is the cell's, with the seed of the data; what the
    /// loading server says goes to `log`.
    pub(crate) async fn of(
        &mut self,
        cell: &Cell,
        config: &RunConfig,
        log: impl FnOnce() -> anyhow::Result<PathBuf>,
        interrupts: &Signals,
        line: &Line,
    ) -> anyhow::Result<&Loaded> {
        let key = key(cell, config);
        let at = match self.kept.iter().position(|(known, _)| *known == key) {
            Some(at) => at,
            None => {
                self.kept
                    .push((key, load(config, log()?, interrupts, line).await?));
                self.kept.len() - 1
            }
        };
        Ok(&self.kept[at].1)
    }

    /// Loads the data of a cell with a server that runs, and stops the server. `config` is the cell's, with the seed of the
    /// data.
    pub(crate) async fn load_on(
        &mut self,
        served: OpenServer,
        (cell, config): (&Cell, &RunConfig),
        interrupts: &Signals,
        line: &Line,
    ) -> anyhow::Result<()> {
        let (key, config) = (key(cell, config), loading(config));
        let settings = config.server_settings();
        let reconfigured = served.server.reconfigure(&settings);
        let server = interrupts.unless_ended(reconfigured).await??;
        let served = OpenServer { server, ..served };
        self.kept
            .push((key, fill(served, &config, interrupts, line).await?));
        Ok(())
    }
}

impl Loaded {
    /// The settings of the buffer pool into which so many times more data than it holds was loaded.
    pub(crate) fn pool(&self, flavor: Flavor, data_per_pool: f64) -> Vec<Setting> {
        buffer_pool(flavor, (self.bytes as f64 / data_per_pool) as u64)
    }
}

/// The same for two cells that can share data.
fn key(cell: &Cell, config: &RunConfig) -> String {
    format!("{:?} {:?} {}", cell.server, fixed(config), cell.data_key())
}

/// What a data directory is made with, and keeps.
pub(crate) fn fixed(config: &RunConfig) -> Vec<Setting> {
    let fixed = config
        .settings
        .iter()
        .filter(|setting| setting.is_fixed_at_initialisation());
    fixed.cloned().collect()
}

/// By a server of its own in the usual place, which need not be durable: what it wrote is whole when it has stopped.
async fn load(config: &RunConfig, log: PathBuf, interrupts: &Signals, line: &Line) -> anyhow::Result<Loaded> {
    let config = loading(config);
    line.say("starting a server to load the data");
    let served = open_server(&config, log, None, interrupts, line).await?;
    fill(served, &config, interrupts, line).await
}

/// The configuration of a server that loads.
fn loading(config: &RunConfig) -> RunConfig {
    let mut settings = fixed(config);
    settings.push(Setting::new("innodb_flush_log_at_trx_commit", "0"));
    settings.push(Setting::new("sync_binlog", "0"));
    RunConfig {
        settings,
        storage: Storage::default(),
        ..config.clone()
    }
}

async fn fill(
    served: OpenServer,
    config: &RunConfig,
    interrupts: &Signals,
    line: &Line,
) -> anyhow::Result<Loaded> {
    served.load(config, interrupts, line).await?;
    line.say("keeping the data");
    let kept = interrupts
        .unless_ended(served.server.stop_and_snapshot())
        .await??;
    let tables = kept.directory().join("data").join(DATABASE);
    let bytes = size(&tables).with_context(|| format!("cannot tell the size of {}", tables.display()))?;
    Ok(Loaded { kept, bytes })
}

fn size(directory: &Path) -> io::Result<u64> {
    let mut bytes = 0;
    for entry in fs::read_dir(directory)? {
        bytes += entry?.metadata()?.len();
    }
    Ok(bytes)
}
