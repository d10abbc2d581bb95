//! A server that somebody else runs.

use std::io;

use thiserror::Error;

use crate::connection::dsn::Dsn;
use crate::connection::listener_pid::{PeerError, server_process};
use crate::facts::server::{FactsError, ServerFacts};
use crate::process::pidfd::{Exit, ProcessWatch};
use crate::settings::set_global::{SetError, set_verified};
use crate::settings::variable::{Setting, SettingError, verify};
use logtrace_common::{ConnectError, Connection, Password};

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
    /// Values that the variables of the measurement had before.
    old: Vec<Setting>,
}

impl RunningServer {
    /// Connects, finds the server's process, and sets and verifies the variables.
    pub async fn attach(config: &RunningConfig) -> Result<Self, RunningError> {
        let (connection, facts, watch) = log_in(&config.dsn, config.password.clone()).await?;
        let old = |setting: &Setting| {
            let value = facts.variables.get(setting.name())?;
            Some(Setting::new(setting.name(), value))
        };
        let mut server = Self {
            old: config.settings.iter().filter_map(old).collect(),
            connection,
            facts,
            watch,
        };
        if config.settings.is_empty() {
            return Ok(server);
        }
        match set_verified(&server.connection, server.facts.flavor, &config.settings).await {
            Ok(variables) => {
                server.facts.variables = variables;
                Ok(server)
            }
            Err(error) => {
                server.restore().await?;
                Err(error.into())
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

    /// Gives each variable that was changed its old value again, the last one first, and verifies it.
    pub async fn restore(self) -> Result<(), RunningError> {
        let flavor = self.facts.flavor;
        let now = match self.old.is_empty() {
            true => return Ok(()),
            false => self.connection.variables().await?,
        };
        let mut not_restored = Vec::new();
        for setting in self.old.into_iter().rev() {
            let one = std::slice::from_ref(&setting);
            if verify(one, &now, flavor).is_ok() {
                continue;
            }
            match set_verified(&self.connection, flavor, one).await {
                Ok(_) => {}
                Err(SetError::Setting(error)) => not_restored.push((setting, error)),
                Err(SetError::Connect(error)) => return Err(error.into()),
            }
        }
        match not_restored.is_empty() {
            true => Ok(()),
            false => Err(RunningError::NotRestored(not_restored)),
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
