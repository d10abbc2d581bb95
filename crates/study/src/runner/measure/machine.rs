//! Record of the machine in a measurement, in a file of the run directory: `machine.json`.

use std::path::{Path, PathBuf};
use std::time::Duration;

use logtrace_measure::run_dir::{RunDir, read_facts};
use logtrace_server::{Server, sync_rate};
use serde::{Deserialize, Serialize};

use crate::results::figure::Figure;
use crate::runner::context::StudyContext;
use crate::runner::measure::cpu_use::CpuUse;

const FILE: &str = "machine.json";

/// Length of the measurement of syncs. It is long enough for hundreds of them, and short beside a window.
const SYNCING: Duration = Duration::from_millis(300);

/// Record of the machine in a measurement.
#[derive(Debug, Serialize, Deserialize)]
struct Machine {
    /// Syncs a second by one thread, each of one overwritten page, where the redo log is, just before the warm-up. Null if
    /// no table of the plan shows it, and on a file system that cannot be measured.
    fdatasync_per_s: Option<f64>,
    /// Share of the time in which the CPUs were not idle, over warm-up and window: [`CpuUse::busy_share`].
    cpu_busy: f64,
}

/// Measurement of the machine that began before the warm-up.
#[derive(Debug)]
pub(crate) struct Begun {
    fdatasync_per_s: Option<f64>,
    cpu_use: CpuUse,
}

/// Measures the syncs of the device, if the plan shows them, and begins to measure the CPUs.
pub(crate) async fn begin(study: StudyContext<'_>, server: &Server) -> anyhow::Result<Begun> {
    let mut tables = study.plan.tables.iter();
    let is_shown = tables.any(|table| table.shows(&Figure::Fdatasync));
    let fdatasync_per_s = match is_shown {
        true => device_syncs(redo_directory(server)).await?,
        false => None,
    };
    Ok(Begun {
        fdatasync_per_s,
        cpu_use: CpuUse::begin(study.cpus),
    })
}

/// Returns the syncs a second in a directory, or `None` if its file system cannot be measured.
async fn device_syncs(directory: PathBuf) -> anyhow::Result<Option<f64>> {
    let rate = tokio::task::spawn_blocking(move || sync_rate(&directory, SYNCING)).await?;
    Ok(rate.ok())
}

impl Begun {
    /// Ends the measurement, and writes it.
    pub(crate) fn write(self, dir: &RunDir) -> anyhow::Result<()> {
        let machine = Machine {
            fdatasync_per_s: self.fdatasync_per_s,
            cpu_busy: self.cpu_use.busy_share(),
        };
        dir.write(FILE, &serde_json::to_string_pretty(&machine)?)
    }
}

/// Returns the directory of the redo log: its own one, or that of the data.
fn redo_directory(server: &Server) -> PathBuf {
    let variables = &server.facts().variables;
    let path = |name: &str| Path::new(variables.get(name).map_or("", String::as_str)).to_owned();
    path("datadir").join(path("innodb_log_group_home_dir"))
}

/// Reads the figures of a run; none if it has no such file.
pub(crate) fn read(run_dir: &Path) -> Vec<(Figure, f64)> {
    let text = read_facts(run_dir, FILE).unwrap_or_default();
    let Ok(machine) = serde_json::from_str::<Machine>(&text) else {
        return Vec::new();
    };
    let syncs = machine.fdatasync_per_s.map(|per_s| (Figure::Fdatasync, per_s));
    let busy = (Figure::CpuBusy, machine.cpu_busy);
    syncs.into_iter().chain([busy]).collect()
}
