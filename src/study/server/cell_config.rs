//! Configuration of a cell as a run, as `logtrace run` makes it from its arguments.

use std::path::PathBuf;
use std::time::Duration;

use anyhow::Context;
use logtrace_common::Variable;
use logtrace_server::{FileLocation, Home, ImageConfig, Placement};
use logtrace_study::{Cell, Where};

use crate::measurement::TracingConfig;
use crate::run::{Pacing, RunConfig, Storage};

/// Returns the run of a cell. `seed` is that of its data, or of its arrivals and requests.
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
        trace: cell.detail.is_some(),
        tracing: tracing(cell),
        out: PathBuf::new(),
        home: home.clone(),
    }
}

/// Returns the variables that the plan sets, and the one that stage times need from the start of MariaDB.
pub(crate) fn settings(cell: &Cell) -> Vec<Variable> {
    const NEEDED: &str = "performance_schema";
    let mut settings: Vec<Variable> = cell.settings.iter().map(|chosen| chosen.value.clone()).collect();
    if cell.stages && cell.setting(NEEDED).is_none() {
        settings.push(Variable::new(NEEDED, "ON"));
    }
    settings
}

fn session(cell: &Cell) -> Vec<Variable> {
    let variables = cell.session.iter();
    variables.map(|chosen| chosen.value.clone()).collect()
}

fn tracing(cell: &Cell) -> TracingConfig {
    TracingConfig {
        detail: cell.detail.unwrap_or_default(),
        sampling: cell.sample,
        record: false,
        ring_bytes: None,
    }
}

/// Returns the location of the files of a cell's server.
pub(crate) fn storage(cell: &Cell) -> anyhow::Result<Storage> {
    let image = image(cell);
    let mut placements = Vec::new();
    for wanted in &cell.places {
        let place = match &wanted.at {
            Where::Directory(directory) => FileLocation::Directory(directory.clone()),
            Where::Own => {
                FileLocation::Volume(image.clone().context("no file system to make another one like")?)
            }
            Where::Tmpfs => {
                let size = cell.file_system.as_ref().map(|system| system.size);
                FileLocation::Tmpfs(size.unwrap_or_default())
            }
            Where::Nothing => FileLocation::Nothing,
        };
        let class = wanted.class;
        placements.push(Placement { class, place });
    }
    Ok(Storage { image, placements })
}

/// Returns the file system of a cell's server, if one is made for it.
fn image(cell: &Cell) -> Option<ImageConfig> {
    let system = cell.file_system.as_ref()?;
    let options = system.mount.split(',').map(str::trim);
    Some(ImageConfig {
        make_options: system.mkfs.clone(),
        mount_options: options
            .filter(|option| !option.is_empty())
            .map(str::to_owned)
            .collect(),
        ..ImageConfig::new(system.kind, system.size)
    })
}

/// Returns whether file systems are mounted for a cell's server.
pub(crate) fn needs_mounts(cell: &Cell) -> bool {
    cell.file_system.is_some() || cell.places.iter().any(|place| place.at == Where::Tmpfs)
}
