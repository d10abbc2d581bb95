//! A turn of a cell as a run: the same configuration that `logtrace run` makes of what was typed.

use std::path::PathBuf;
use std::time::Duration;

use anyhow::bail;
use logtrace_driver::SessionVariable;
use logtrace_server::{Home, Placement, Setting};
use logtrace_study::{Cell, Detail, Where};

use crate::cli::TracingArgs;
use crate::run::{Pacing, RunConfig, Storage};

/// The run of a cell with a seed: of its data, or of its arrivals and requests.
pub(crate) fn run_config(cell: &Cell, seed: u64, storage: Storage, home: &Home) -> RunConfig {
    RunConfig {
        requests: cell.requests.clone(),
        check: false,
        dataset: cell.dataset(seed),
        connections: cell.connections,
        pacing: Pacing::Known(cell.pace.clone()),
        warmup: cell.warmup,
        duration: cell.duration,
        spin: false,
        deadline: None,
        reconnect_for: Duration::ZERO,
        server: Some(cell.server.clone()),
        settings: settings(cell),
        session: session(cell),
        keep_tables: false,
        storage,
        trace: cell.detail != Detail::None,
        tracing: tracing(cell),
        out: PathBuf::new(),
        home: home.clone(),
    }
}

/// The variables that the plan sets.
pub(crate) fn settings(cell: &Cell) -> Vec<Setting> {
    cell.settings.iter().map(|chosen| chosen.value.clone()).collect()
}

fn session(cell: &Cell) -> Vec<SessionVariable> {
    let variable = |setting: &Setting| SessionVariable::new(setting.name(), setting.value());
    cell.session
        .iter()
        .filter_map(|chosen| variable(&chosen.value))
        .collect()
}

fn tracing(cell: &Cell) -> TracingArgs {
    let detail = match cell.detail {
        Detail::None | Detail::Io => logtrace_tracer::Detail::Io,
        Detail::Commit => logtrace_tracer::Detail::Commit,
        Detail::Full => logtrace_tracer::Detail::Full,
    };
    TracingArgs {
        detail,
        // The plan's own check has let it through.
        sample: format!("{}%", cell.sample).parse().unwrap_or_default(),
        record: false,
        ring_bytes: None,
    }
}

/// Where the files of a cell's server are.
pub(crate) fn storage(cell: &Cell) -> anyhow::Result<Storage> {
    let mut placements = Vec::new();
    for place in &cell.places {
        match &place.at {
            Where::Directory(directory) => placements.push(Placement {
                class: place.class,
                directory: directory.clone(),
            }),
            Where::Own | Where::Tmpfs | Where::Nothing => bail!("no place of this kind can be made yet"),
        }
    }
    let image = cell.file_system.as_ref().map(|system| (system.kind, system.size));
    Ok(Storage::of(image, placements))
}
