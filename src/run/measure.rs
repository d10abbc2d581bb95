//! The order of a run: server, tables, capacity, tracer, load; and taking it all down again.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use anyhow::{Context, anyhow};
use logtrace_driver::{Measured, Pace, Target};
use logtrace_events::RunDir;
use logtrace_report::window::Window;
use logtrace_server::{FileSystemFacts, HostFacts, Server, ServerConfig, ServerFacts};
use logtrace_tracer::{Account, Tracer, TracerConfig, check_program};
use tokio::sync::oneshot;

use super::config::RunConfig;
use super::disk::{is_full, unless_full};
use super::explainer::{Explained, Explainer};
use super::give_back::give_back;
use super::interrupts::{Interrupted, Interrupts};
use super::load::{Follower, drive_config, drive_workload, load_tables, pace, target};
use super::outputs::Outputs;
use super::progress::Line;
use crate::told::told;

/// Everything that a run gives before it is put together.
#[derive(Debug)]
pub(crate) struct Raw {
    /// The server as it was.
    pub(crate) server: ServerFacts,
    /// File system of the server's data.
    pub(crate) data: Option<FileSystemFacts>,
    /// The machine.
    pub(crate) host: Option<HostFacts>,
    /// Change of `SHOW GLOBAL STATUS` over the window.
    pub(crate) status: BTreeMap<String, i64>,
    /// Requests a second of a closed loop, when that was measured.
    pub(crate) capacity_per_s: Option<f64>,
    /// What the driver measured; `None` as long as the run goes on.
    pub(crate) measured: Option<Measured>,
    /// What the tracer saw.
    pub(crate) traced: Option<Traced>,
    /// Whether the disk of the server's data was full in the end.
    pub(crate) disk_full: bool,
    /// What could not be put back on the server as it was.
    pub(crate) not_given_back: Option<String>,
}

/// What the tracer saw in the window.
#[derive(Debug)]
pub(crate) struct Traced {
    /// Commits, explained.
    pub(crate) explained: Explained,
    /// The tracer's account.
    pub(crate) account: Account,
}

impl Raw {
    /// Where the server's data is.
    pub(crate) fn data_directory(&self) -> PathBuf {
        self.server
            .variables
            .get("datadir")
            .map(PathBuf::from)
            .unwrap_or_default()
    }
}

/// How long the server's status is waited for: it is told along with the numbers, and shall not hold them up.
const STATUS_WITHIN: Duration = Duration::from_secs(5);

/// Measures. Whatever happens, the server is taken down, or given back as it was.
pub(crate) async fn measure(
    config: &RunConfig,
    dir: &RunDir,
    outputs: &Outputs<'_>,
    interrupts: &Interrupts,
) -> anyhow::Result<Raw> {
    let line = Line::start("starting the server");
    let server_config = ServerConfig {
        choice: config.server.clone(),
        settings: config.settings.clone(),
        log: dir.server_log(),
        home: config.home.clone(),
        image: config.storage.image()?,
        placements: config.storage.placements.clone(),
    };
    let say = |message: &str| line.say(message);
    let server = interrupts
        .unless_ended(Server::open(&server_config, &say))
        .await??;
    let target = target(server.connection());
    let work = on_server(config, dir, outputs, interrupts, &server, &target, &line);
    let result = interrupts
        .unless_aborted(work)
        .await
        .map_err(anyhow::Error::from)
        .flatten();
    line.say("stopping the server");
    let given_back = give_back(server, target, interrupts).await;
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
    dir: &RunDir,
    outputs: &Outputs<'_>,
    interrupts: &Interrupts,
    server: &Server,
    target: &Target,
    line: &Line,
) -> anyhow::Result<Raw> {
    let mut raw = describe(server);
    if config.trace {
        check_program(&PathBuf::from(format!("/proc/{}/exe", raw.server.pid)))?;
    }
    let prepared = async {
        load_tables(config, target, interrupts, line).await?;
        let pace = pace(config, target, &interrupts.end, line);
        interrupts.unless_ended(pace).await?
    };
    let data = raw.data_directory();
    let (pace, capacity_per_s) = unless_full(&data, config.storage.when_full(), prepared).await?;
    raw.capacity_per_s = capacity_per_s;
    outputs.unfinished(&raw)?;
    let announced = Arc::new(OnceLock::new());
    let tracer = match config.trace {
        true => Some(start_tracer(config, dir, server, &announced)?),
        false => None,
    };
    let load = Load {
        config,
        dir,
        target,
        pace,
        announced,
    };
    let (measured, start) = match load.drive(interrupts, server, tracer.as_ref(), line).await {
        Err(_) if interrupts.end.is_cancelled() => return Err(Interrupted::Early.into()),
        driven => driven?,
    };
    raw.measured = Some(measured);
    raw.disk_full = is_full(&data);
    if let Some(before) = &start.status
        && let Some(after) = status(server).await
    {
        raw.status = logtrace_server::status_delta(before, &after);
    }
    raw.traced = tracer
        .map(|tracer| stop_tracer(tracer, start.account))
        .transpose()?;
    Ok(raw)
}

async fn status(server: &Server) -> Option<BTreeMap<String, String>> {
    tokio::time::timeout(STATUS_WITHIN, server.status())
        .await
        .ok()?
        .ok()
}

fn describe(server: &Server) -> Raw {
    let facts = server.facts().clone();
    let data_dir = facts.variables.get("datadir").map(PathBuf::from);
    let paths: Vec<&Path> = data_dir.iter().map(PathBuf::as_path).collect();
    Raw {
        data: data_dir
            .as_deref()
            .and_then(|path| FileSystemFacts::of(path).ok()),
        host: HostFacts::collect(&paths, server.placed()).ok(),
        server: facts,
        status: BTreeMap::new(),
        capacity_per_s: None,
        measured: None,
        traced: None,
        disk_full: false,
        not_given_back: None,
    }
}

fn start_tracer(
    config: &RunConfig,
    dir: &RunDir,
    server: &Server,
    announced: &Arc<OnceLock<Window>>,
) -> anyhow::Result<Tracer<Explainer>> {
    let recording = match config.record {
        true => Some(
            dir.create_file(&dir.records())
                .context("cannot create the recording")?,
        ),
        false => None,
    };
    let facts = server.facts();
    let explainer = Explainer::new(facts.pid, facts.log_names(), Arc::clone(announced), recording)
        .context("cannot start the recording")?;
    let tracer = TracerConfig::new(facts.pid);
    Ok(Tracer::start(tracer, explainer)?)
}

fn stop_tracer(tracer: Tracer<Explainer>, before: Option<Account>) -> anyhow::Result<Traced> {
    let (explainer, account) = tracer.stop()?;
    let account = match before {
        Some(before) => account.since(&before),
        None => account,
    };
    Ok(Traced {
        explained: explainer.finish(),
        account,
    })
}

/// The load and what it needs.
struct Load<'a> {
    config: &'a RunConfig,
    dir: &'a RunDir,
    target: &'a Target,
    pace: Pace,
    announced: Arc<OnceLock<Window>>,
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
        tracer: Option<&Tracer<Explainer>>,
        line: &Line,
    ) -> anyhow::Result<(Measured, AtStart)> {
        let (announce, announced) = oneshot::channel();
        let follower = Follower {
            window: self.announced,
            announced: Some(announce),
            line: line.clone(),
            lengths: (self.config.warmup, self.config.duration),
        };
        let log = self
            .dir
            .create_file(&self.dir.latency_hlog())
            .context("cannot create the latency log")?;
        let drive = drive_config(self.config, self.target, self.pace);
        let driving = drive_workload(drive, log, interrupts.end.clone(), follower);
        let reading = async {
            if announced.await.is_err() {
                return AtStart::default();
            }
            let account = tracer.and_then(|tracer| tracer.account().ok());
            AtStart {
                account,
                status: status(server).await,
            }
        };
        let (measured, start) = tokio::join!(driving, reading);
        Ok((measured?, start))
    }
}
