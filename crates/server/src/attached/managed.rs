//! Running server of somebody else.

use std::io;

use thiserror::Error;

use crate::connection::dsn::Dsn;
use crate::connection::listener_pid::{PeerError, server_process};
use crate::facts::server::{FactsError, ServerFacts};
use crate::process::pidfd::{Exit, ProcessWatch};
use crate::settings::set_global::{SetError, set_verified};
use crate::settings::variable::{SettingError, verify};
use logtrace_common::{ConnectError, Connection, Password, Variable};

/// Address, account and settings for a running server.
#[derive(Clone, Debug)]
pub struct ManagedConfig {
    /// Address of the server.
    pub dsn: Dsn,
    /// Password of the account.
    pub password: Option<Password>,
    /// Global variables to set during the measurement.
    pub settings: Vec<Variable>,
}

/// Error while a running server is attached to or restored.
#[derive(Debug, Error)]
pub enum AttachError {
    /// The connection failed.
    #[error(transparent)]
    Connect(#[from] ConnectError),
    /// The process of the server was not found.
    #[error(transparent)]
    Peer(#[from] PeerError),
    /// The facts of the server cannot be read.
    #[error(transparent)]
    Facts(#[from] FactsError),
    /// The process of the server cannot be watched.
    #[error("cannot watch the server's process {pid}")]
    Watch {
        /// Process number.
        pid: u32,
        /// Error of the system.
        source: io::Error,
    },
    /// The server does not take a setting. Variables that were set before it have their old values again.
    #[error(transparent)]
    Setting(#[from] SettingError),
    /// Variables still have the values of the measurement.
    #[error("cannot restore these variables, set them by hand: {}", list(.0))]
    NotRestored(Vec<(Variable, SettingError)>),
}

/// Server that ran before. Only the requested global variables are changed, and [`restore`](Self::restore) gives them
/// their old values again.
#[derive(Debug)]
pub struct ManagedServer {
    connection: Connection,
    facts: ServerFacts,
    watch: ProcessWatch,
    /// Values that the variables of the measurement had before.
    old: Vec<Variable>,
}

impl ManagedServer {
    /// Connects, finds the server's process, and sets and verifies the variables.
    pub async fn attach(config: &ManagedConfig) -> Result<Self, AttachError> {
        let (connection, facts, watch) = log_in(&config.dsn, config.password.clone()).await?;
        let old = |setting: &Variable| {
            let value = facts.variables.get(setting.name())?;
            Some(Variable::new(setting.name(), value))
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

    /// Returns the facts of the server.
    pub fn facts(&self) -> &ServerFacts {
        &self.facts
    }

    /// Returns the address and account of the server.
    pub fn connection(&self) -> &Connection {
        &self.connection
    }

    /// Waits until the server has ended. Only its parent can read its exit status.
    pub async fn died(&self) -> Exit {
        self.watch.ended().await
    }

    /// Returns whether the server runs.
    pub fn is_running(&self) -> bool {
        self.watch.exit().is_none()
    }

    /// Gives each variable that was changed its old value again, the last one first, and verifies it.
    pub async fn restore(self) -> Result<(), AttachError> {
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
            false => Err(AttachError::NotRestored(not_restored)),
        }
    }
}

impl From<SetError> for AttachError {
    fn from(error: SetError) -> Self {
        match error {
            SetError::Connect(error) => error.into(),
            SetError::Setting(error) => error.into(),
        }
    }
}

/// Connects to a running server, finds its process, and reads its facts.
pub(crate) async fn log_in(
    dsn: &Dsn,
    password: Option<Password>,
) -> Result<(Connection, ServerFacts, ProcessWatch), AttachError> {
    let connection = dsn.connection(password);
    // The first question: its errors say most about a wrong address or password.
    connection.check().await?;
    let pid = server_process(&connection.endpoint).await?;
    let watch = ProcessWatch::new(pid).map_err(|source| AttachError::Watch { pid, source })?;
    let facts = ServerFacts::collect(&connection, pid, false).await?;
    Ok((connection, facts, watch))
}

fn list(failed: &[(Variable, SettingError)]) -> String {
    let words: Vec<String> = failed
        .iter()
        .map(|(setting, error)| format!("{setting} ({error})"))
        .collect();
    words.join(", ")
}
