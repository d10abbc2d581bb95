//! Opened server, and the tables of a workload on it.

use std::path::PathBuf;

use logtrace_common::Connection;
use logtrace_driver::tpcc::CheckedCondition;
use logtrace_driver::{Loaded, Target};
use logtrace_server::{DataSnapshot, Home, LeftServer, Server, ServerChoice, ServerConfig};
use logtrace_tracer::check_program;

use crate::config::run_config::RunConfig;
use crate::measurement::{Interrupted, Line, Signals};
use crate::run::load::consistency::check_loaded;
use crate::run::load::drive::{DATABASE, load_tables};
use crate::run::server::disk_full::unless_full;

/// Server that accepts connections.
#[derive(Debug)]
pub struct OpenServer {
    /// Server, started or attached.
    pub server: Server,
    /// Database of the workload's tables.
    pub target: Target,
}

/// Loaded tables.
#[derive(Debug, Default)]
pub struct Tables {
    /// Whether an earlier run kept them.
    pub reused: bool,
    /// Consistency after the load, or `None` if it was not checked.
    pub checked: Option<Vec<CheckedCondition>>,
}

/// Starts a private server, with a copy of the snapshot if there is one, or connects to a running server.
/// The file `log` receives the log of a private server.
pub async fn open_server(
    config: &RunConfig,
    log: PathBuf,
    snapshot: Option<&DataSnapshot>,
    signals: &Signals,
    line: &Line,
) -> anyhow::Result<OpenServer> {
    let server_config = ServerConfig {
        choice: config.server.clone(),
        settings: config.server_settings(),
        log,
        home: config.home.clone(),
        database: (!config.keep_tables).then(|| DATABASE.to_owned()),
        storage: config.storage.clone(),
        cpus: config.cpus.server.clone(),
    };
    let say = |message: &str| line.say(message);
    let opened = Server::open(&server_config, snapshot, &say);
    let server = match &server_config.choice {
        // Else the end would leave a part of the settings changed. What comes next ends at once.
        Some(ServerChoice::Running(named)) => match signals.unless_aborted(opened).await {
            Ok(opened) => opened?,
            Err(aborted) => return Err(with_what_is_left(aborted, &config.home, named)),
        },
        _ => signals.unless_ended(opened).await??,
    };
    let target = Target::new(server.connection(), DATABASE).of_process(server.facts().process.clone());
    Ok(OpenServer { server, target })
}

/// Adds to the error of a second signal what undoes the settings that were made before it. The work that held the note of
/// them must have ended.
fn with_what_is_left(aborted: Interrupted, home: &Home, named: &Connection) -> anyhow::Error {
    let (aborted, endpoint) = (anyhow::Error::from(aborted), &named.endpoint);
    // Without notes, nothing was changed.
    let left = LeftServer::all(&home.notes).unwrap_or_default();
    let mut left = left.into_iter().flatten();
    match left.find(|server| server.connection().endpoint == *endpoint) {
        Some(server) => aborted.context(format!(
            "the server on {endpoint} is left changed: `logtrace doctor --clean` gives it back, or type there: {} Reason",
            server.by_hand()
        )),
        None => aborted,
    }
}

impl OpenServer {
    /// Creates the tables. If the run is traced, first checks that the server can be traced.
    pub async fn load(&self, config: &RunConfig, signals: &Signals, line: &Line) -> anyhow::Result<Tables> {
        check_traceable(config, &self.server)?;
        let data = self.server.facts().data_directory();
        let made = async {
            let loaded = load_tables(config, &self.target, signals, line).await?;
            let checked = match config.checked_warehouses() {
                Some(warehouses) => Some(check_loaded((&self.target, warehouses), signals, line).await?),
                None => None,
            };
            Ok(Tables {
                reused: loaded == Loaded::Before,
                checked,
            })
        };
        unless_full(&data.unwrap_or_default(), config.when_full(), made).await
    }
}

/// Fails if the run is traced and the server's program lacks the symbols.
pub fn check_traceable(config: &RunConfig, server: &Server) -> anyhow::Result<()> {
    if let (true, Some(process)) = (config.trace, &server.facts().process) {
        check_program(process.program())?;
    }
    Ok(())
}
