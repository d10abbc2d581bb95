//! Measurement of one window on a server with tables: pace, tracer, load, outcome.

use std::convert::Infallible;
use std::io;
use std::num::NonZeroUsize;
use std::path::Path;
use std::sync::{Arc, mpsc};

use anyhow::{Context, anyhow};
use logtrace_driver::{Capacity, DriveResult, EndReason, Pace, Target, drive};
use logtrace_report::document::Cpu;
use logtrace_server::Server;
use logtrace_tracer::Account;
use tokio::sync::oneshot;

use crate::config::run_config::RunConfig;
use crate::directory::run_dir::RunDir;
use crate::document::run::document;
use crate::errors::with_causes;
use crate::measurement::{
    CpuSampler, Interrupted, Line, Live, Namer, Signals, StatusAtStart, Tracing, WindowSignal,
};
use crate::outcome::run_outcome::RunOutcome;
use crate::outputs::Outputs;
use crate::run::load::consistency::check_after_run;
use crate::run::load::drive::{Follower, RequestSinks, drive_config, on_own_thread, pace};
use crate::run::load::latency_log::LatencyLog;
use crate::run::load::saved_inputs::{save_arrivals, save_workload};
use crate::run::load::saved_requests::RequestSaver;
use crate::run::server::disk_full::{is_full, stays_full, unless_full, with_full_disk};
use crate::run::server::open_server::{OpenServer, Tables};

/// Measures one window of a server into a run directory. Several windows of one server may follow each other, with
/// different configurations but the same tables.
pub async fn window(
    config: &RunConfig,
    outputs: &Outputs<'_>,
    signals: &Signals,
    opened: &OpenServer,
    tables: Tables,
    line: &Line,
) -> anyhow::Result<RunOutcome> {
    let OpenServer { server, target } = opened;
    let mut raw = RunOutcome::before(server, config.connections.closed());
    raw.tables_reused = tables.reused;
    raw.checked.loaded = tables.checked;
    let data = server.facts().data_directory().unwrap_or_default();
    let window_signal = Arc::new(WindowSignal::default());
    let (finished, requests) = mpsc::channel();
    let start_tracing = || {
        Tracing::start(
            server.facts(),
            outputs.dir,
            &config.tracing,
            Some(requests),
            &window_signal,
        )
    };
    // The capacity is that of the traced server, as is the window.
    let tracing = config.trace.then(start_tracing).transpose()?;
    let paced = unless_ended(config, target, signals, line);
    let (pace, capacity) = unless_full(&data, config.when_full(), paced).await?;
    raw.capacity = capacity;
    raw.connections = config.connections_of(&pace, server.facts());
    outputs.unfinished(&raw.snapshot, document(config, outputs.started, &raw))?;
    let saver = config.tracing.record.then(|| RequestSaver::start(outputs.dir));
    let saver = saver.transpose()?;
    let load = Load {
        config,
        dir: outputs.dir,
        target,
        pace,
        connections: raw.connections,
        window_signal,
        sinks: RequestSinks {
            explained: config.trace.then_some(finished),
            saved: saver.as_ref().map(RequestSaver::sender),
        },
    };
    let Driven { measured, start, cpu } = match load.drive(signals, server, tracing.as_ref(), line).await {
        Err(_) if signals.end.is_cancelled() => return Err(Interrupted::Early.into()),
        driven => driven.map_err(|error| with_full_disk(&data, config.when_full(), error))?,
    };
    raw.snapshot.cpu = cpu;
    raw.not_saved = not_saved(&start, saver.map(|saver| saver.finish(measured.window)));
    let is_there = measured.ended != EndReason::ServerGone;
    raw.disk_full = is_full(&data);
    if raw.disk_full {
        refuse_nothing(&measured, &data, config)?;
    }
    let traced = tracing.as_ref().filter(|_| !raw.disk_full);
    let open_commits = commits_ended(traced, measured.window.end_ns, signals, line).await;
    raw.measured = Some(measured);
    raw.snapshot.take_status(start.status).await;
    raw.snapshot.traced = tracing
        .map(|tracing| tracing.stop(start.account, open_commits))
        .transpose()?;
    raw.snapshot.take_names(start.namer).await;
    if let (Some(warehouses), true) = (config.checked_warehouses(), is_there) {
        raw.checked.run = Some(check_after_run((target, warehouses), signals, line).await);
    }
    Ok(raw)
}

/// Fails if no request of the load on a full disk was answered.
fn refuse_nothing(measured: &DriveResult, data: &Path, config: &RunConfig) -> anyhow::Result<()> {
    match measured.done {
        0 => Err(with_full_disk(
            data,
            config.when_full(),
            anyhow!("no request was answered"),
        )),
        _ => Ok(()),
    }
}

/// Returns the pace of the load, unless a signal ends the run before.
async fn unless_ended(
    config: &RunConfig,
    target: &Target,
    signals: &Signals,
    line: &Line,
) -> anyhow::Result<(Pace, Option<Capacity>)> {
    signals
        .unless_ended(pace(config, target, &signals.end, line))
        .await?
}

/// Returns the errors of files of the load. None of them costs a result.
fn not_saved(start: &AtStart, requests: Option<io::Result<()>>) -> Vec<String> {
    let requests = requests.and_then(Result::err);
    let requests = requests.map(|error| format!("requests.bin: {error}"));
    start.not_saved.iter().cloned().chain(requests).collect()
}

/// Waits until the commits that began before `before_ns` have ended. Returns the number of those that have not.
async fn commits_ended(tracing: Option<&Tracing>, before_ns: u64, signals: &Signals, line: &Line) -> usize {
    match tracing {
        Some(tracing) => tracing.commits_ended(before_ns, signals, line).await,
        None => 0,
    }
}

/// Load and its inputs.
struct Load<'a> {
    config: &'a RunConfig,
    dir: &'a RunDir,
    target: &'a Target,
    pace: Pace,
    connections: NonZeroUsize,
    window_signal: Arc<WindowSignal>,
    /// Receive finished requests.
    sinks: RequestSinks,
}

/// Load that has ended.
#[derive(Debug)]
struct Driven {
    measured: DriveResult,
    start: AtStart,
    /// CPU time of the window, if it is known.
    cpu: Option<Cpu>,
}

/// Readings at the start of the window, and files that could not be written.
#[derive(Debug, Default)]
struct AtStart {
    status: Option<StatusAtStart>,
    namer: Option<Namer>,
    account: Option<Account>,
    /// Errors that left files of the load incomplete.
    not_saved: Vec<String>,
}

impl Load<'_> {
    async fn drive(
        self,
        signals: &Signals,
        server: &Server,
        tracing: Option<&Tracing>,
        line: &Line,
    ) -> anyhow::Result<Driven> {
        let (announce, announced) = oneshot::channel();
        let window_signal = Arc::clone(&self.window_signal);
        let cpu = CpuSampler::start(server.facts().pid, &window_signal);
        let mut follower = self.follower(announce, tracing.is_some(), line);
        save_workload(self.dir, &self.config.requests)?;
        let log = self
            .dir
            .create_file("latency.hlog")
            .context("cannot create the latency log")?;
        let (mut log, log_failed) = LatencyLog::new(log);
        let drive_config = drive_config(self.config, self.target, self.pace.clone(), self.connections);
        let (end, sinks) = (signals.end.child_token(), self.sinks);
        let cancel = end.clone();
        let driving = on_own_thread(move || {
            let outputs = logtrace_driver::DriveOutputs {
                log: &mut log,
                watch: &mut follower,
                observer: sinks.observer(),
                cancel,
            };
            drive(&drive_config, outputs)
        });
        let reading = async {
            if announced.await.is_err() {
                return AtStart::default();
            }
            let account = tracing.and_then(Tracing::account);
            let status = StatusAtStart::read(Some(server.connection())).await;
            let namer = status
                .as_ref()
                .map(|status| Namer::start(status.conn(), server.facts(), &window_signal));
            AtStart {
                account,
                not_saved: Vec::new(),
                status,
                namer,
            }
        };
        // A server that waits for space does not answer, so there is no use in waiting for it after the window.
        let data = server.facts().data_directory().unwrap_or_default();
        let full = async {
            window_signal.over().await;
            stays_full(&data).await;
            end.cancel();
            std::future::pending::<Infallible>().await
        };
        let (measured, start) = tokio::select! {
            both = async { tokio::join!(driving, reading) } => both,
            never = full => match never {},
        };
        let measured = measured??;
        let cpu = cpu.and_then(|cpu| cpu.finish(measured.window.end_ns));
        let log_failed = log_failed.get().map(|error| format!("latency.hlog: {error}"));
        let arrivals = save_arrivals(self.dir, &self.pace, self.config.dataset.seed, &measured);
        let not_saved = log_failed
            .into_iter()
            .chain(arrivals.err().map(with_causes))
            .collect();
        Ok(Driven {
            measured,
            start: AtStart { not_saved, ..start },
            cpu,
        })
    }

    /// Returns the observer of the load, which sends a message when the window is known.
    fn follower(&self, announce: oneshot::Sender<()>, is_traced: bool, line: &Line) -> Follower {
        let signal = is_traced.then(|| Arc::clone(&self.window_signal));
        Follower {
            window_signal: Arc::clone(&self.window_signal),
            announced: Some(announce),
            live: Live::new(line.clone(), signal, self.config.report_every_s),
            lengths: (self.config.warmup, self.config.duration),
        }
    }
}
