//! A server that somebody else runs.

use std::io;

use thiserror::Error;

use crate::connection::connect::{ConnectError, Connection, Password};
use crate::connection::dsn::Dsn;
use crate::connection::listener_pid::{PeerError, server_process};
use crate::facts::server::{FactsError, ServerFacts};
use crate::process::pidfd::{Exit, ProcessWatch};
use crate::settings::live_change::{Asked, Reconfigured};
use crate::settings::set_global::{SetError, set_global};
use crate::settings::variable::{Setting, SettingError, verify};

/// What to attach to.
#[derive(Clone, Debug)]
pub struct RunningConfig {
    /// The server's address.
    pub dsn: Dsn,
    /// The account's password.
    pub password: Option<Password>,
    /// Global variables to set for the time of the measurement.
    pub settings: Vec<Setting>,
}

/// Why a running server cannot be measured, or was not put back as it was.
#[derive(Debug, Error)]
pub enum RunningError {
    /// It could not be asked.
    #[error(transparent)]
    Connect(#[from] ConnectError),
    /// Its process was not found.
    #[error(transparent)]
    Peer(#[from] PeerError),
    /// Its facts are not known.
    #[error(transparent)]
    Facts(#[from] FactsError),
    /// Its process cannot be watched.
    #[error("cannot watch the server's process {pid}: {source}")]
    Watch {
        /// The process.
        pid: u32,
        /// What the system said.
        source: io::Error,
    },
    /// A setting cannot be had; what was set before it has its old value again.
    #[error(transparent)]
    Setting(#[from] SettingError),
    /// Variables still have values of the measurement.
    #[error("these variables do not have their old values again, set them by hand: {}", list(.0))]
    NotRestored(Vec<(Setting, SettingError)>),
}

/// A server that was there before; only global variables that were asked for are changed, and put back by
/// [`restore`](Self::restore).
#[derive(Debug)]
pub struct RunningServer {
    connection: Connection,
    facts: ServerFacts,
    watch: ProcessWatch,
    asked: Asked,
}

impl RunningServer {
    /// Connects, finds the server's process and sets the variables.
    pub async fn attach(config: &RunningConfig) -> Result<Self, RunningError> {
        let (connection, facts, watch) = log_in(&config.dsn, config.password.clone()).await?;
        let mut server = Self {
            asked: Asked::new(Vec::new(), facts.variables.clone()),
            connection,
            facts,
            watch,
        };
        match server.apply(&config.settings).await {
            Ok(()) => Ok(server),
            Err(error) => {
                server.restore().await?;
                Err(error)
            }
        }
    }

    /// What the server says of itself.
    pub fn facts(&self) -> &ServerFacts {
        &self.facts
    }

    /// How to connect to it.
    pub fn connection(&self) -> &Connection {
        &self.connection
    }

    /// Waits until the server has died; only its parent can know how.
    pub async fn died(&self) -> Exit {
        self.watch.ended().await
    }

    /// Whether the server lives.
    pub fn is_running(&self) -> bool {
        self.watch.exit().is_none()
    }

    /// Makes these settings hold, and puts others that were set back to their old values.
    pub async fn reconfigure(&mut self, settings: &[Setting]) -> Result<Reconfigured, SetError> {
        let set = self
            .asked
            .reconfigure(&self.connection, self.facts.flavor, settings);
        let (done, variables) = set.await?;
        if let Some(variables) = variables {
            self.facts.variables = variables;
        }
        Ok(done)
    }

    /// Gives each variable that was set its old value again, and checks that.
    pub async fn restore(self) -> Result<(), RunningError> {
        let old = self.asked.old();
        if old.is_empty() {
            return Ok(());
        }
        let refused = self.set_back(&old).await?;
        let variables = self.connection.variables().await?;
        let is_back =
            |setting: &Setting| verify(std::slice::from_ref(setting), &variables, self.facts.flavor);
        let not_restored: Vec<_> = old
            .iter()
            .filter_map(|setting| Some((setting.clone(), is_back(setting).err()?)))
            .chain(refused)
            .collect();
        if not_restored.is_empty() {
            Ok(())
        } else {
            Err(RunningError::NotRestored(not_restored))
        }
    }

    /// Sets every old value that the server takes, and returns those that it refuses.
    async fn set_back(&self, old: &[Setting]) -> Result<Vec<(Setting, SettingError)>, RunningError> {
        let (connection, flavor) = (&self.connection, self.facts.flavor);
        let mut conn = connection.connect().await?;
        let mut refused = Vec::new();
        for setting in old {
            match set_global(
                connection,
                flavor,
                &mut conn,
                setting.name(),
                Some(setting.value()),
            )
            .await
            {
                Ok(()) => {}
                Err(SetError::Setting(error)) => refused.push((setting.clone(), error)),
                Err(SetError::Connect(broken)) => return Err(broken.into()),
            }
        }
        connection.leave(conn).await?;
        Ok(refused)
    }

    async fn apply(&mut self, settings: &[Setting]) -> Result<(), RunningError> {
        let done = self.reconfigure(settings).await.map_err(RunningError::from)?;
        match done.need_restart.into_iter().next() {
            Some(name) => Err(SettingError::ReadOnly(name).into()),
            None => Ok(()),
        }
    }
}

impl From<SetError> for RunningError {
    fn from(error: SetError) -> Self {
        match error {
            SetError::Connect(error) => error.into(),
            SetError::Setting(error) => error.into(),
        }
    }
}

/// Connects to a running server, finds its process, and asks what it is.
pub(crate) async fn log_in(
    dsn: &Dsn,
    password: Option<Password>,
) -> Result<(Connection, ServerFacts, ProcessWatch), RunningError> {
    let connection = dsn.connection(password);
    // The first question: its errors say most about a wrong address or password.
    connection.check().await?;
    let pid = server_process(&connection.endpoint).await?;
    let watch = ProcessWatch::new(pid).map_err(|source| RunningError::Watch { pid, source })?;
    let facts = ServerFacts::collect(&connection, pid, false).await?;
    Ok((connection, facts, watch))
}

fn list(failed: &[(Setting, SettingError)]) -> String {
    let words: Vec<String> = failed
        .iter()
        .map(|(setting, error)| format!("{setting} ({error})"))
        .collect();
    words.join(", ")
}
