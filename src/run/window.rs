//! One measured window on a server that has its tables: pace, tracer, load, and what became of it.

use std::collections::BTreeMap;
use std::sync::{Arc, mpsc};

use crate::run_dir::RunDir;
use anyhow::Context;
use logtrace_driver::{Ended, Measured, Pace, Target};
use logtrace_events::Request;
use logtrace_server::Server;
use logtrace_tracer::Account;
use tokio::sync::oneshot;

use crate::measurement::{Exchange, Interrupted, Interrupts, Line, Observed, Outputs, Tracing, Wanted};
use crate::run::config::run_config::RunConfig;
use crate::run::load::consistency::check_left;
use crate::run::load::drive::{Follower, drive_config, drive_workload, pace};
use crate::run::load::kept_inputs::keep_arrivals;
use crate::run::load::workload_file::keep_workload;
use crate::run::outcome::document::document;
use crate::run::outcome::raw::Raw;
use crate::run::server::disk_full::{is_full, told, unless_full};
use crate::run::server::open_server::{Served, Tables};

/// Measures one window of a server into a run directory. Windows of one server may follow each other, each with a
/// configuration of its own, as long as its tables are those that were made.
pub(crate) async fn window(
    config: &RunConfig,
    outputs: &Outputs<'_>,
    interrupts: &Interrupts,
    served: &Served,
    tables: Tables,
    line: &Line,
) -> anyhow::Result<Raw> {
    let Served { server, target } = served;
    let mut raw = Raw::before(server);
    raw.tables_reused = tables.reused;
    raw.checked.loaded = tables.checked;
    let data = raw.observed.data_directory();
    let paced = async {
        interrupts
            .unless_ended(pace(config, target, &interrupts.end, line))
            .await?
    };
    let (pace, capacity_per_s) = unless_full(&data, config.storage.when_full(), paced).await?;
    raw.capacity_per_s = capacity_per_s;
    outputs.unfinished(&raw.observed, document(config, outputs.started, &raw))?;
    let exchange = Arc::new(Exchange::default());
    let (finished, requests) = mpsc::channel();
    let tracing = traced(config, outputs, server, requests, &exchange)?;
    let load = Load {
        config,
        dir: outputs.dir,
        target,
        pace,
        exchange,
        finished: config.trace.then_some(finished),
    };
    let (measured, start) = match load.drive(interrupts, server, tracing.as_ref(), line).await {
        Err(_) if interrupts.end.is_cancelled() => return Err(Interrupted::Early.into()),
        driven => driven.map_err(|error| told(&data, config.storage.when_full(), error))?,
    };
    let can_check = config.check && measured.ended != Ended::ServerGone;
    raw.measured = Some(measured);
    raw.disk_full = is_full(&data);
    raw.observed.take_status(start.status.as_ref()).await;
    raw.observed.traced = tracing.map(|tracing| tracing.stop(start.account)).transpose()?;
    if can_check {
        raw.checked.run = Some(check_left(target, interrupts, line).await);
    }
    Ok(raw)
}

/// The tracer, where one is wanted.
fn traced(
    config: &RunConfig,
    outputs: &Outputs<'_>,
    server: &Server,
    requests: mpsc::Receiver<Request>,
    exchange: &Arc<Exchange>,
) -> anyhow::Result<Option<Tracing>> {
    if !config.trace {
        return Ok(None);
    }
    let wanted = Wanted {
        config: config.tracing,
        requests: Some(requests),
    };
    Tracing::start(server.facts(), outputs.dir, wanted, exchange).map(Some)
}

/// The load and what it needs.
struct Load<'a> {
    config: &'a RunConfig,
    dir: &'a RunDir,
    target: &'a Target,
    pace: Pace,
    exchange: Arc<Exchange>,
    /// Takes the requests that are over, for the tracer.
    finished: Option<mpsc::Sender<Request>>,
}

/// What was read when the window started.
#[derive(Debug, Default)]
struct AtStart {
    status: Option<BTreeMap<String, String>>,
    account: Option<Account>,
}

impl Load<'_> {
    async fn drive(
        self,
        interrupts: &Interrupts,
        server: &Server,
        tracing: Option<&Tracing>,
        line: &Line,
    ) -> anyhow::Result<(Measured, AtStart)> {
        let (announce, announced) = oneshot::channel();
        let follower = Follower {
            exchange: self.exchange,
            announced: Some(announce),
            line: line.clone(),
            lengths: (self.config.warmup, self.config.duration),
        };
        keep_workload(self.dir, &self.config.requests)?;
        let log = self
            .dir
            .create_file(&self.dir.latency_hlog())
            .context("cannot create the latency log")?;
        let drive = drive_config(self.config, self.target, self.pace.clone());
        let driving = drive_workload(drive, log, interrupts.end.clone(), follower, self.finished);
        let reading = async {
            if announced.await.is_err() {
                return AtStart::default();
            }
            let account = tracing.and_then(Tracing::account);
            AtStart {
                account,
                status: Observed::status_now(Some(server.connection())).await,
            }
        };
        let (measured, start) = tokio::join!(driving, reading);
        let measured = measured?;
        keep_arrivals(self.dir, &self.pace, self.config.dataset.seed, &measured)?;
        Ok((measured, start))
    }
}
