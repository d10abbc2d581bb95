//! Configuration of a cell as a run, as `logtrace run` makes it from its arguments.

use std::path::PathBuf;
use std::time::Duration;

use logtrace_common::Variable;
use logtrace_measure::measurement::TracingConfig;
use logtrace_measure::run::{Connections, Pacing, RunConfig};
use logtrace_server::Storage;

use crate::cell::Cell;
use crate::runner::context::StudyContext;

/// Returns the run of a cell of a study. `seed` is that of its data, or of its arrivals and requests.
pub(crate) fn run_config(study: StudyContext<'_>, cell: &Cell, seed: u64, storage: Storage) -> RunConfig {
    RunConfig {
        requests: cell.requests.clone(),
        check: false,
        dataset: cell.dataset(seed),
        connections: Connections::Fixed(cell.connections),
        pacing: Pacing::Known(cell.pace.clone()),
        warmup: cell.warmup,
        duration: cell.duration,
        spin: false,
        deadline: None,
        reconnect_for: Duration::ZERO,
        server: Some(cell.server.clone()),
        settings: settings(cell),
        session: cell.session.clone(),
        keep_tables: false,
        storage,
        cpus: study.cpus.clone(),
        is_remote: false,
        trace: cell.detail.is_some(),
        tracing: TracingConfig {
            detail: cell.detail.unwrap_or_default(),
            sampling: cell.sample,
            record: false,
            ring_bytes: None,
        },
        report_every_s: None,
        out: PathBuf::new(),
        home: study.home.clone(),
    }
}

/// Returns the variables that the plan sets, and the one that stage times need from the start of MariaDB.
pub(crate) fn settings(cell: &Cell) -> Vec<Variable> {
    const NEEDED: &str = "performance_schema";
    let mut settings = cell.settings.clone();
    if cell.stages && cell.setting(NEEDED).is_none() {
        settings.push(Variable::new(NEEDED, "ON"));
    }
    settings
}

/// Returns the location of the files of a cell's server.
pub(crate) fn storage(cell: &Cell) -> Storage {
    Storage {
        image: cell.file_system.clone(),
        placements: cell.places.clone(),
        ..Storage::default()
    }
}
