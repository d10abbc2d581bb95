//! The order of a run: server, tables, capacity, tracer, load; and taking it all down again.

use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use anyhow::Context;
use logtrace_driver::{Measured, Pace, Target};
use logtrace_events::RunDir;
use logtrace_report::window::Window;
use logtrace_server::{FileSystemFacts, HostFacts, Server, ServerConfig, ServerFacts};
use logtrace_tracer::{Account, Tracer, TracerConfig};
use tokio::sync::oneshot;

use super::config::RunConfig;
use super::explainer::{Explained, Explainer};
use super::interrupts::Interrupts;
use super::load::{Follower, drive_config, drive_workload, drop_tables, load_tables, pace, target};
use super::outputs::Outputs;
use super::progress::Line;

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
}

/// What the tracer saw in the window.
#[derive(Debug)]
pub(crate) struct Traced {
    /// Commits, explained.
    pub(crate) explained: Explained,
    /// The tracer's account.
    pub(crate) account: Account,
}

/// How long giving a running server back may take when everything is to stop at once.
const GIVE_BACK_WITHIN: Duration = Duration::from_secs(5);

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
    let raw = result?;
    given_back?;
    Ok(raw)
}

/// Stops a private server; takes our database and settings off a running one.
async fn give_back(server: Server, target: Target, interrupts: &Interrupts) -> anyhow::Result<()> {
    let private = server.facts().private;
    if private && interrupts.abort.is_cancelled() {
        // Dropping it kills it.
        return Ok(());
    }
    let alive = server.is_running();
    let work = async {
        if !private && alive {
            drop_tables(target).await.context("cannot remove the tables")?;
        }
        if alive {
            server.finish().await.context("cannot give the server back")
        } else {
            Ok(())
        }
    };
    if private {
        return interrupts.unless_aborted(work).await.unwrap_or(Ok(()));
    }
    tokio::time::timeout(GIVE_BACK_WITHIN, work)
        .await
        .context("the server did not take its settings back in time")?
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
    interrupts
        .unless_ended(load_tables(config, target, line))
        .await??;
    let paced = pace(config, target, &interrupts.end, line);
    let (pace, capacity_per_s) = interrupts.unless_ended(paced).await??;
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
    let (measured, start) = load.drive(interrupts, server, tracer.as_ref(), line).await?;
    raw.measured = Some(measured);
    if let Some(before) = &start.status
        && let Ok(after) = server.status().await
    {
        raw.status = logtrace_server::status_delta(before, &after);
    }
    raw.traced = tracer
        .map(|tracer| stop_tracer(tracer, start.account))
        .transpose()?;
    Ok(raw)
}

fn describe(server: &Server) -> Raw {
    let facts = server.facts().clone();
    let data_dir = facts.variables.get("datadir").map(std::path::PathBuf::from);
    let paths: Vec<&std::path::Path> = data_dir.iter().map(std::path::PathBuf::as_path).collect();
    Raw {
        data: data_dir
            .as_deref()
            .and_then(|path| FileSystemFacts::of(path).ok()),
        host: HostFacts::collect(&paths).ok(),
        server: facts,
        status: BTreeMap::new(),
        capacity_per_s: None,
        measured: None,
        traced: None,
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
    let tracer = TracerConfig {
        pid: facts.pid,
        ring_bytes: TracerConfig::RING_BYTES,
    };
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
                status: server.status().await.ok(),
            }
        };
        let (measured, start) = tokio::join!(driving, reading);
        Ok((measured?, start))
    }
}
