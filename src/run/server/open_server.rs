//! A server that answers, and the tables of a workload on it: what windows are measured on.

use std::path::PathBuf;

use logtrace_driver::tpcc::Condition;
use logtrace_driver::{Loaded, Target};
use logtrace_server::{DataSnapshot, Server, ServerConfig};
use logtrace_tracer::check_program;

use crate::measurement::{Line, Signals};
use crate::run::config::run_config::RunConfig;
use crate::run::load::consistency::check_loaded;
use crate::run::load::drive::{DATABASE, load_tables};
use crate::run::server::disk_full::unless_full;
use crate::run::target::target;

/// A server that answers.
#[derive(Debug)]
pub(crate) struct OpenServer {
    /// The server.
    pub(crate) server: Server,
    /// The database of the workload's tables on it.
    pub(crate) target: Target,
}

/// Tables that are there.
#[derive(Debug, Default)]
pub(crate) struct Tables {
    /// Whether an earlier run left them.
    pub(crate) reused: bool,
    /// Their consistency after the load, where it was checked.
    pub(crate) checked: Option<Vec<Condition>>,
}

/// Starts the server, with a copy of data that was kept if there is some, or logs in to it; what a private one says goes
/// to the file `log`.
pub(crate) async fn open_server(
    config: &RunConfig,
    log: PathBuf,
    kept: Option<&DataSnapshot>,
    signals: &Signals,
    line: &Line,
) -> anyhow::Result<OpenServer> {
    let server_config = ServerConfig {
        choice: config.server.clone(),
        settings: config.server_settings(),
        log,
        home: config.home.clone(),
        image: config.storage.image.clone(),
        placements: config.storage.placements.clone(),
    };
    let say = |message: &str| line.say(message);
    let server = signals
        .unless_ended(Server::open_with(&server_config, kept, &say))
        .await??;
    let target = target(server.connection(), DATABASE);
    Ok(OpenServer { server, target })
}

impl OpenServer {
    /// Makes the tables, on a server whose commits can be traced where that is wanted.
    pub(crate) async fn load(
        &self,
        config: &RunConfig,
        signals: &Signals,
        line: &Line,
    ) -> anyhow::Result<Tables> {
        check_traceable(config, &self.server)?;
        let data = self.server.facts().variables.get("datadir").map(PathBuf::from);
        let made = async {
            let loaded = load_tables(config, &self.target, signals, line).await?;
            let checked = match config.check {
                true => Some(check_loaded(&self.target, signals, line).await?),
                false => None,
            };
            Ok(Tables {
                reused: loaded == Loaded::Before,
                checked,
            })
        };
        unless_full(&data.unwrap_or_default(), config.storage.when_full(), made).await
    }
}

/// Fails where commits shall be traced and the server's program has not the symbols for it.
pub(crate) fn check_traceable(config: &RunConfig, server: &Server) -> anyhow::Result<()> {
    if config.trace {
        check_program(&PathBuf::from(format!("/proc/{}/exe", server.facts().pid)))?;
    }
    Ok(())
}
