//! Measurement of a cell: a server that is ready for it, one window, and a run directory.

use std::time::Instant;

use anyhow::bail;
use jiff::ZonedDateTime;
use logtrace_measure::outputs::Outputs;
use logtrace_measure::run::{results, window};
use logtrace_measure::run_dir::RunDir;

use crate::cell::Cell;
use crate::order::measurement_order::Measurement;
use crate::runner::directory::failure;
use crate::runner::directory::progress_file::TimeAccount;
use crate::runner::measure::{machine, stage_times};
use crate::runner::server::quiesce::quiesce;
use crate::runner::server::{Ready, SharedServers};

/// Measures a cell into a run directory of its own. The directory stays if the measurement fails.
pub(crate) async fn measure(
    servers: &mut SharedServers<'_>,
    cell: &Cell,
    measurement: &Measurement,
    account: &mut TimeAccount,
) -> anyhow::Result<()> {
    let study = servers.study;
    let earlier = servers.take_detaching();
    let ready = servers.ready(cell, account);
    let Ready {
        served,
        tables,
        mut config,
        detaching,
    } = study.signals.unless_ended(ready).await??;
    config.dataset.seed = measurement.seed;
    study.line.say("waiting until the server and its disks are idle");
    let begun = Instant::now();
    study.signals.unless_ended(quiesce(&mut served.server)).await??;
    account.settling += begun.elapsed();
    let begun = Instant::now();
    let dir = RunDir::replace(&study.dir.run_dir(cell, measurement))?;
    let machine = machine::begin(study, &served.server).await?;
    let started = ZonedDateTime::now().strftime("%Y-%m-%dT%H:%M:%S%:z").to_string();
    let outputs = Outputs {
        dir: &dir,
        started: &started,
    };
    let stages = match cell.stages {
        true => Some(stage_times::start(&served.server).await?),
        false => None,
    };
    tokio::task::spawn_blocking(move || drop(earlier)).await?;
    let mut raw = window(&config, &outputs, study.signals, served, tables, study.line).await?;
    machine.write(&dir)?;
    if let Some(before) = stages {
        stage_times::write(&served.server, &before, &dir).await?;
    }
    *detaching = raw.snapshot.take_detaching();
    let length = raw.measured.as_ref().map(|measured| measured.window.length());
    let measured = results(&config, &started, raw);
    measured.document.check()?;
    outputs.finished(&measured)?;
    let length = length.unwrap_or_default();
    account.measuring += length;
    account.warming_up += config.warmup;
    account.around += begun.elapsed().saturating_sub(length + config.warmup);
    match failure(&measured.document) {
        Some(why) => bail!("{why}"),
        None => Ok(()),
    }
}
