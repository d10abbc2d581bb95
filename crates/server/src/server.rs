//! One handle for a private and a running server.

use std::collections::BTreeMap;
use std::io;
use std::path::PathBuf;

use thiserror::Error;

use crate::attached::managed::{RunningConfig, RunningError, RunningServer};
use crate::facts::server::ServerFacts;
use crate::install::binary::{Binary, FindError, find};
use crate::install::home::Home;
use crate::install::server_arg::ServerChoice;
use crate::instance::error::StartError;
use crate::instance::snapshot::{KeepError, KeptData};
use crate::instance::{Instance, InstanceConfig};
use crate::process::pidfd::Exit;
use crate::settings::set_global::SetError;
use crate::settings::variable::Setting;
use crate::storage::fs_image::ImageConfig;
use crate::storage::placed_dirs::Placed;
use crate::storage::placement::Placement;
use logtrace_common::{ConnectError, Connection, Password};

/// Which server to measure, and how it shall be set.
#[derive(Clone, Debug)]
pub struct ServerConfig {
    /// The choice; none is a private instance of MySQL if found, else of MariaDB.
    pub choice: Option<ServerChoice>,
    /// Global variables.
    pub settings: Vec<Setting>,
    /// The file that a private server's output is appended to.
    pub log: PathBuf,
    /// Where a private server is.
    pub home: Home,
    /// A file system of a private server's own.
    pub image: Option<ImageConfig>,
    /// Classes of a private server's files that are elsewhere.
    pub placements: Vec<Placement>,
}

/// A server to measure.
#[derive(Debug)]
pub enum Server {
    /// Started for the measurement.
    Private(Box<Instance>),
    /// Was there before.
    Running(Box<RunningServer>),
}

/// Why there is no server to measure.
#[derive(Debug, Error)]
pub enum ServerError {
    /// No program to start.
    #[error(transparent)]
    Find(#[from] FindError),
    /// A private instance did not start.
    #[error(transparent)]
    Start(#[from] StartError),
    /// A running server cannot be used.
    #[error(transparent)]
    Running(#[from] RunningError),
    /// A server cannot have other settings.
    #[error(transparent)]
    Set(#[from] SetError),
    /// The data of a private instance was not kept.
    #[error(transparent)]
    Keep(#[from] KeepError),
    /// It is somebody else's.
    #[error("a server that others run is not {0}: choose --server mysql, mariadb or a path")]
    NotOurs(&'static str),
    /// A private instance did not go in order.
    #[error("the private server was stopped, but not in order: {0}")]
    Stop(#[source] io::Error),
}

impl Server {
    /// Starts or attaches to the chosen server; `progress` gets a line for what takes long.
    ///
    /// A private server dies with the thread that polls this: see [`Instance::start`]. The password of a running
    /// server comes from the environment variable `LOGTRACE_PASSWORD`.
    pub async fn open(config: &ServerConfig, progress: &(dyn Fn(&str) + Sync)) -> Result<Self, ServerError> {
        Self::open_with(config, None, progress).await
    }

    /// The same, a private server with a copy of data that was kept, if there is any.
    pub async fn open_with(
        config: &ServerConfig,
        kept: Option<&KeptData>,
        progress: &(dyn Fn(&str) + Sync),
    ) -> Result<Self, ServerError> {
        let binary = match &config.choice {
            Some(ServerChoice::Running(dsn)) => {
                let running = RunningConfig {
                    dsn: dsn.clone(),
                    password: Password::from_environment(),
                    settings: config.settings.clone(),
                };
                let attached = RunningServer::attach(&running).await?;
                return Ok(Self::Running(Box::new(attached)));
            }
            Some(ServerChoice::Binary(path)) => Binary::inspect(path)?,
            Some(ServerChoice::Flavor(flavor)) => find(Some(*flavor))?,
            None => find(None)?,
        };
        let mut instance = InstanceConfig::new(binary, config.log.clone());
        instance.settings.clone_from(&config.settings);
        instance.base.clone_from(&config.home.instances);
        instance.templates.clone_from(&config.home.templates);
        instance.image.clone_from(&config.image);
        instance.placements.clone_from(&config.placements);
        let started = Instance::start_with(&instance, kept, progress).await?;
        Ok(Self::Private(Box::new(started)))
    }

    /// Gives a private server these settings in place of its own: see [`Instance::reconfigure`].
    pub async fn reconfigure(self, settings: &[Setting]) -> Result<Self, ServerError> {
        match self {
            Self::Private(instance) => {
                let instance = instance.reconfigure(settings).await?;
                Ok(Self::Private(Box::new(instance)))
            }
            Self::Running(_) => Err(ServerError::NotOurs("reconfigured")),
        }
    }

    /// Sets variables of a private server that take effect at once: see [`Instance::set_live`].
    pub async fn set_live(&mut self, settings: &[Setting]) -> Result<(), ServerError> {
        match self {
            Self::Private(instance) => Ok(instance.set_live(settings).await?),
            Self::Running(_) => Err(ServerError::NotOurs("changed")),
        }
    }

    /// Stops a private server and keeps a copy of its data: see [`Instance::stop_and_keep`].
    pub async fn stop_and_keep(self) -> Result<KeptData, ServerError> {
        match self {
            Self::Private(instance) => Ok(instance.stop_and_keep().await?),
            Self::Running(_) => Err(ServerError::NotOurs("stopped")),
        }
    }

    /// What the server says of itself.
    pub fn facts(&self) -> &ServerFacts {
        match self {
            Self::Private(instance) => instance.facts(),
            Self::Running(server) => server.facts(),
        }
    }

    /// What a private server keeps elsewhere.
    pub fn placed(&self) -> &[Placed] {
        match self {
            Self::Private(instance) => instance.placed(),
            Self::Running(_) => &[],
        }
    }

    /// How to connect to it.
    pub fn connection(&self) -> &Connection {
        match self {
            Self::Private(instance) => instance.connection(),
            Self::Running(server) => server.connection(),
        }
    }

    /// `SHOW GLOBAL STATUS` of now.
    pub async fn status(&self) -> Result<BTreeMap<String, String>, ConnectError> {
        self.connection().status().await
    }

    /// Whether it lives.
    pub fn is_running(&self) -> bool {
        match self {
            Self::Private(instance) => instance.is_running(),
            Self::Running(server) => server.is_running(),
        }
    }

    /// Waits until it has died.
    pub async fn died(&self) -> Exit {
        match self {
            Self::Private(instance) => instance.died().await,
            Self::Running(server) => server.died().await,
        }
    }

    /// Stops a private server and removes it; gives a running one its old settings again.
    pub async fn finish(self) -> Result<(), ServerError> {
        match self {
            Self::Private(instance) => {
                instance.stop().await.map_err(ServerError::Stop)?;
                Ok(())
            }
            Self::Running(server) => Ok(server.restore().await?),
        }
    }
}
