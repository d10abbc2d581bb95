//! Handle for a private or a running server.

use std::collections::BTreeMap;
use std::path::PathBuf;

use anyhow::{Context, anyhow};

use crate::attached::ManagedServer;
use crate::error::ServerError;
use crate::facts::placed::PlacedClass;
use crate::facts::server::ServerFacts;
use crate::install::home::Home;
use crate::install::server_arg::ServerChoice;
use crate::install::{Binary, find};
use crate::instance::Instance;
use crate::instance::config::InstanceConfig;
use crate::instance::snapshot::DataSnapshot;
use crate::process::cpus::Cpus;
use crate::process::pidfd::ProcessEnd;
use crate::storage::config::Storage;
use logtrace_common::{ConnectError, Connection, Variable};

/// Choice of a server to measure, with its settings and storage.
#[derive(Clone, Debug)]
pub struct ServerConfig {
    /// Chosen server. `None` is a private instance of MySQL if it is installed, else of MariaDB.
    pub choice: Option<ServerChoice>,
    /// Global variables.
    pub settings: Vec<Variable>,
    /// File to which a private server's output is appended.
    pub log: PathBuf,
    /// Directories of private servers, and of notes on running ones.
    pub home: Home,
    /// Database that the caller creates on a running server and drops before [`Server::finish`].
    pub database: Option<String>,
    /// Location of a private server's files.
    pub storage: Storage,
    /// CPUs of a private server; all of logtrace's if there are none.
    pub cpus: Option<Cpus>,
}

/// Server to measure.
#[derive(Debug)]
pub enum Server {
    /// Server that was started for the measurement.
    Private(Box<Instance>),
    /// Server that ran before.
    Running(Box<ManagedServer>),
}

impl Server {
    /// Starts the chosen server or attaches to it. `progress` is called with a line of text before steps that take
    /// long. A private server starts with a copy of the snapshot, if there is one.
    ///
    /// A private server dies with the thread that polls this: see [`Instance::start`].
    pub async fn open(
        config: &ServerConfig,
        snapshot: Option<&DataSnapshot>,
        progress: &(dyn Fn(&str) + Sync),
    ) -> Result<Self, ServerError> {
        let binary = match &config.choice {
            Some(ServerChoice::Running(connection)) => {
                let attached = ManagedServer::attach(
                    connection,
                    &config.settings,
                    config.database.as_deref(),
                    &config.home.notes,
                )
                .await?;
                return Ok(Self::Running(Box::new(attached)));
            }
            Some(ServerChoice::Binary(path)) => Binary::inspect(path, &config.home)?,
            Some(ServerChoice::Flavor(flavor)) => find(Some(*flavor), &config.home)?,
            None => find(None, &config.home)?,
        };
        let instance = InstanceConfig {
            settings: config.settings.clone(),
            home: config.home.clone(),
            storage: config.storage.clone(),
            cpus: config.cpus.clone(),
            ..InstanceConfig::new(binary, config.log.clone())
        };
        let started = Instance::start(&instance, snapshot, progress).await?;
        Ok(Self::Private(Box::new(started)))
    }

    /// Gives a private server these settings in place of its own: see [`Instance::reconfigure`].
    pub async fn reconfigure(self, settings: &[Variable]) -> Result<Self, ServerError> {
        let instance = self.private("reconfigure")?.reconfigure(settings).await?;
        Ok(Self::Private(Box::new(instance)))
    }

    /// Sets variables of a private server that take effect at once: see [`Instance::set_live`].
    pub async fn set_live(&mut self, settings: &[Variable]) -> Result<(), ServerError> {
        match self {
            Self::Private(instance) => instance.set_live(settings).await,
            Self::Running(_) => Err(not_ours("change")),
        }
    }

    /// Stops a private server and returns a snapshot of its data: see [`Instance::stop_and_snapshot`].
    pub async fn stop_and_snapshot(self) -> Result<DataSnapshot, ServerError> {
        self.private("stop")?.stop_and_snapshot().await
    }

    fn private(self, what: &str) -> Result<Instance, ServerError> {
        match self {
            Self::Private(instance) => Ok(*instance),
            Self::Running(_) => Err(not_ours(what)),
        }
    }

    /// Returns the facts of the server.
    pub fn facts(&self) -> &ServerFacts {
        match self {
            Self::Private(instance) => instance.facts(),
            Self::Running(server) => &server.facts,
        }
    }

    /// Returns the classes of a private server's files that are placed elsewhere.
    pub fn placed(&self) -> &[PlacedClass] {
        match self {
            Self::Private(instance) => instance.placed(),
            Self::Running(_) => &[],
        }
    }

    /// Returns the address and account of the server.
    pub fn connection(&self) -> &Connection {
        match self {
            Self::Private(instance) => instance.connection(),
            Self::Running(server) => &server.connection,
        }
    }

    /// Returns the present `SHOW GLOBAL STATUS`.
    pub async fn status(&self) -> Result<BTreeMap<String, String>, ConnectError> {
        self.connection().status().await
    }

    /// Returns whether the server runs.
    pub fn is_running(&self) -> bool {
        match self {
            Self::Private(instance) => instance.is_running(),
            Self::Running(server) => server.is_running(),
        }
    }

    /// Waits until the server has ended.
    pub async fn died(&self) -> ProcessEnd {
        match self {
            Self::Private(instance) => instance.died().await,
            Self::Running(server) => server.died().await,
        }
    }

    /// Returns what is still to be undone on a running server: see [`ManagedServer::left_changed`].
    pub fn left_changed(&self) -> Option<String> {
        match self {
            Self::Private(_) => None,
            Self::Running(server) => server.left_changed(),
        }
    }

    /// Records that the caller's database is dropped: see [`ManagedServer::database_dropped`].
    pub fn database_dropped(&mut self) {
        if let Self::Running(server) = self {
            server.database_dropped();
        }
    }

    /// Stops a private server and removes its files. Gives a running server its old settings again.
    pub async fn finish(self) -> Result<(), ServerError> {
        match self {
            Self::Private(instance) => {
                let stopped = instance.stop().await;
                stopped.context("cannot stop the private server and remove its files")?;
                Ok(())
            }
            Self::Running(server) => server.restore().await,
        }
    }
}

fn not_ours(what: &str) -> ServerError {
    anyhow!("logtrace does not {what} a server that others run: choose --server mysql, mariadb or a path")
        .into()
}
