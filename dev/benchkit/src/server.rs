//! A private server under load.

use anyhow::Context;
use logtrace_common::{Connection, Variable};
use logtrace_server::{Home, Server, ServerChoice, ServerConfig, ServerFacts, Storage};
use tempfile::TempDir;
use tokio::runtime::{Builder, Runtime};

/// Server of all pairs, so that caches and the place on disk are the same.
///
/// It dies with the thread that started it.
#[derive(Debug)]
pub struct SharedServer {
    server: Server,
    runtime: Runtime,
    _log: TempDir,
}

impl SharedServer {
    /// Starts the installed server of this choice.
    pub fn start(choice: ServerChoice, settings: Vec<Variable>) -> anyhow::Result<Self> {
        let log = tempfile::tempdir().context("cannot make a directory for the server's log")?;
        let config = ServerConfig {
            storage: Storage {
                // Tests mount file systems there.
                directories: vec!["/tmp".into()],
                ..Storage::default()
            },
            choice: Some(choice),
            settings,
            log: log.path().join("server.log"),
            home: Home::default(),
            database: None,
            cpus: None,
        };
        let runtime = Builder::new_current_thread().enable_all().build()?;
        let server = runtime.block_on(Server::open(&config, None, &|_| {}))?;
        Ok(Self {
            server,
            runtime,
            _log: log,
        })
    }

    /// Returns the facts of the server.
    pub fn facts(&self) -> &ServerFacts {
        self.server.facts()
    }

    /// Returns the connection.
    pub fn connection(&self) -> &Connection {
        self.server.connection()
    }

    /// Starts it again on the same files with these settings, also after it was killed. A change of variables that take
    /// effect at once does not start it again.
    pub fn restart(self, settings: &[Variable]) -> anyhow::Result<Self> {
        let server = self.runtime.block_on(self.server.reconfigure(settings))?;
        Ok(Self { server, ..self })
    }

    /// Stops it in order.
    pub fn stop(self) -> anyhow::Result<()> {
        self.runtime.block_on(self.server.finish())?;
        Ok(())
    }
}
