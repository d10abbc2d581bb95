//! Running server of somebody else, on this machine or another one.

use anyhow::{Context, anyhow};

use crate::connection::listener_pid::server_process;
use crate::connection::locality::is_remote;
use crate::error::ServerError;
use crate::facts::server::ServerFacts;
use crate::process::pidfd::{Exit, ProcessWatch};
use crate::settings::set_global::set_verified;
use crate::settings::variable::verify;
use logtrace_common::{Connection, Variable};

/// Server that ran before. Only the requested global variables are changed, and [`restore`](Self::restore) gives them
/// their old values again.
#[derive(Debug)]
pub struct ManagedServer {
    /// Address and account of the server.
    pub connection: Connection,
    /// Facts of the server, with the variables of the measurement.
    pub facts: ServerFacts,
    /// Watch on the process; `None` on another machine.
    watch: Option<ProcessWatch>,
    /// Values that the variables of the measurement had before.
    old: Vec<Variable>,
}

impl ManagedServer {
    /// Connects, finds the process of a server on this machine, and sets and verifies the variables.
    pub async fn attach(connection: &Connection, settings: &[Variable]) -> Result<Self, ServerError> {
        let (facts, watch) = match is_remote(&connection.endpoint) {
            true => (remote_facts(connection).await?, None),
            false => {
                let (facts, watch) = log_in(connection).await?;
                (facts, Some(watch))
            }
        };
        let old = |setting: &Variable| {
            let value = facts.variables.get(setting.name())?;
            Some(Variable::new(setting.name(), value))
        };
        let mut server = Self {
            old: settings.iter().filter_map(old).collect(),
            connection: connection.clone(),
            facts,
            watch,
        };
        if settings.is_empty() {
            return Ok(server);
        }
        match set_verified(connection, server.facts.flavor, settings).await {
            Ok(variables) => {
                server.facts.variables = variables;
                Ok(server)
            }
            Err(error) => {
                server.restore().await?;
                Err(error)
            }
        }
    }

    /// Waits until the server has ended; forever on another machine, where only lost connections show it. Only its parent
    /// can read its exit status.
    pub async fn died(&self) -> Exit {
        match &self.watch {
            Some(watch) => watch.ended().await,
            None => std::future::pending().await,
        }
    }

    /// Returns whether the server runs, as far as is known.
    pub fn is_running(&self) -> bool {
        self.watch.as_ref().is_none_or(|watch| watch.exit().is_none())
    }

    /// Gives each variable that was changed its old value again, the last one first, and verifies it.
    pub async fn restore(self) -> Result<(), ServerError> {
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
                Err(ServerError::Setting(error)) => not_restored.push(format!("{setting} ({error})")),
                Err(error) => return Err(error),
            }
        }
        match not_restored.is_empty() {
            true => Ok(()),
            false => Err(anyhow!(
                "cannot restore these variables, set them by hand: {}",
                not_restored.join(", ")
            )
            .into()),
        }
    }
}

/// Connects to a server on another machine, and reads its facts.
async fn remote_facts(connection: &Connection) -> Result<ServerFacts, ServerError> {
    connection.check().await?;
    ServerFacts::collect(connection, None, false).await
}

/// Connects to a running server of this machine, finds its process, and reads its facts.
pub(crate) async fn log_in(connection: &Connection) -> Result<(ServerFacts, ProcessWatch), ServerError> {
    // The first question: its errors say most about a wrong address or password.
    connection.check().await?;
    let pid = server_process(&connection.endpoint).await?;
    let watch = watch(pid)?;
    let facts = ServerFacts::collect(connection, Some(pid), false).await?;
    Ok((facts, watch))
}

/// Starts to watch the process of a server.
pub(crate) fn watch(pid: u32) -> anyhow::Result<ProcessWatch> {
    ProcessWatch::new(pid).with_context(|| format!("cannot watch the server's process {pid}"))
}
