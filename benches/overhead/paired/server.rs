//! A private server that outlives the runs against it.

use anyhow::Context;
use logtrace_server::{Endpoint, Home, Server, ServerChoice, ServerConfig, ServerFacts, Setting};
use tempfile::TempDir;
use tokio::runtime::{Builder, Runtime};

/// Both runs of a pair meet the same server, so that its caches and its place on disk are the same for both.
///
/// It dies with the thread that started it.
#[derive(Debug)]
pub(crate) struct SharedServer {
    server: Server,
    runtime: Runtime,
    _log: TempDir,
}

impl SharedServer {
    /// Starts the installed server of this choice.
    pub(crate) fn start(choice: ServerChoice, settings: Vec<Setting>) -> anyhow::Result<Self> {
        let log = tempfile::tempdir().context("cannot make a directory for the server's log")?;
        let config = ServerConfig {
            choice: Some(choice),
            settings,
            log: log.path().join("server.log"),
            home: Home::default(),
        };
        let runtime = Builder::new_current_thread().enable_all().build()?;
        let server = runtime.block_on(Server::open(&config, &|_| {}))?;
        Ok(Self {
            server,
            runtime,
            _log: log,
        })
    }

    /// What it says of itself.
    pub(crate) fn facts(&self) -> &ServerFacts {
        self.server.facts()
    }

    /// Its address, as `--server` takes it.
    pub(crate) fn address(&self) -> anyhow::Result<String> {
        let connection = self.server.connection();
        match &connection.endpoint {
            Endpoint::Socket(path) => Ok(format!(
                "mysql://{}@localhost/?socket={}",
                connection.user,
                path.display()
            )),
            Endpoint::Tcp(..) => anyhow::bail!("a private server was expected to listen on a socket"),
        }
    }

    /// Stops it in order.
    pub(crate) fn stop(self) -> anyhow::Result<()> {
        self.runtime.block_on(self.server.finish())?;
        Ok(())
    }
}
