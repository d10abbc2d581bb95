//! The order of a run: server, tables, capacity, tracer, load; and taking it all down again.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Arc, mpsc};

use anyhow::{Context, anyhow};
use logtrace_driver::{Ended, Loaded, Measured, Pace, Target};
use logtrace_events::{Request, RunDir};
use logtrace_server::{Server, ServerConfig};
use logtrace_tracer::{Account, check_program};
use tokio::sync::oneshot;

use super::arrivals_file::keep_arrivals;
use super::check::{Checked, check_left, check_loaded};
use super::config::RunConfig;
use super::disk::{is_full, unless_full};
use super::document::document;
use super::give_back::give_back;
use super::load::{DATABASE, Follower, drive_config, drive_workload, load_tables, pace};
use super::target::target;
use super::workload_file::keep_workload;
use crate::measurement::{Exchange, Interrupted, Interrupts, Line, Observed, Outputs, Tracing, Wanted};
use crate::told::told;

/// Everything that a run gives before it is put together.
#[derive(Debug)]
pub(crate) struct Raw {
    /// The server, and what was seen of it.
    pub(crate) observed: Observed,
    /// Whether the tables are those that an earlier run left.
    pub(crate) tables_reused: bool,
    /// Requests a second of a closed loop, when that was measured.
    pub(crate) capacity_per_s: Option<f64>,
    /// What the driver measured; `None` as long as the run goes on.
    pub(crate) measured: Option<Measured>,
    /// The consistency of the tables, where it was checked.
    pub(crate) checked: Checked,
    /// Whether the disk of the server's data was full in the end.
    pub(crate) disk_full: bool,
    /// What could not be put back on the server as it was.
    pub(crate) not_given_back: Option<String>,
}

impl Raw {
    /// Before anything is measured.
    fn before(server: &Server) -> Self {
        Self {
            observed: Observed::before(server.facts(), Some(server.connection()), server.placed()),
            tables_reused: false,
            capacity_per_s: None,
            measured: None,
            checked: Checked::default(),
            disk_full: false,
            not_given_back: None,
        }
    }
}

/// Measures. Whatever happens, the server is taken down, or given back as it was.
pub(crate) async fn measure(
    config: &RunConfig,
    outputs: &Outputs<'_>,
    interrupts: &Interrupts,
) -> anyhow::Result<Raw> {
    let line = Line::start("starting the server");
    let server_config = ServerConfig {
        choice: config.server.clone(),
        settings: config.server_settings(),
        log: outputs.dir.server_log(),
        home: config.home.clone(),
        image: config.storage.image()?,
        placements: config.storage.placements.clone(),
    };
    let say = |message: &str| line.say(message);
    let server = interrupts
        .unless_ended(Server::open(&server_config, &say))
        .await??;
    let target = target(server.connection(), DATABASE);
    let work = on_server(config, outputs, interrupts, &server, &target, &line);
    let result = interrupts
        .unless_aborted(work)
        .await
        .map_err(anyhow::Error::from)
        .flatten();
    line.say("stopping the server");
    let tables = (!config.keep_tables).then_some(target);
    let given_back = give_back(server, tables, interrupts).await;
    line.clear();
    match (result, given_back) {
        (Ok(mut raw), given_back) => {
            raw.not_given_back = given_back.err().map(|error| told(&error));
            Ok(raw)
        }
        (Err(error), Ok(())) => Err(error),
        (Err(error), Err(left)) => Err(anyhow!("{}\n{}", told(&error), told(&left))),
    }
}

async fn on_server(
    config: &RunConfig,
    outputs: &Outputs<'_>,
    interrupts: &Interrupts,
    server: &Server,
    target: &Target,
    line: &Line,
) -> anyhow::Result<Raw> {
    let mut raw = Raw::before(server);
    if config.trace {
        check_program(&PathBuf::from(format!("/proc/{}/exe", raw.observed.server.pid)))?;
    }
    let prepared = async {
        let loaded = load_tables(config, target, interrupts, line).await?;
        if config.check {
            raw.checked.loaded = Some(check_loaded(target, interrupts, line).await?);
        }
        let pace = pace(config, target, &interrupts.end, line);
        anyhow::Ok((loaded, interrupts.unless_ended(pace).await??))
    };
    let data = raw.observed.data_directory();
    let (loaded, (pace, capacity_per_s)) = unless_full(&data, config.storage.when_full(), prepared).await?;
    (raw.tables_reused, raw.capacity_per_s) = (loaded == Loaded::Before, capacity_per_s);
    outputs.unfinished(&raw.observed, document(config, outputs.started, &raw))?;
    let exchange = Arc::new(Exchange::default());
    let (finished, requests) = mpsc::channel();
    let tracing = match config.trace {
        true => {
            let wanted = Wanted {
                how: config.tracing,
                requests: Some(requests),
            };
            Some(Tracing::start(server.facts(), outputs.dir, wanted, &exchange)?)
        }
        false => None,
    };
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
        driven => driven?,
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
