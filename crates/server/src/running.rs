//! A server that somebody else runs.

use std::io;

use mysql_async::prelude::Queryable;
use mysql_async::{Conn, Value};
use thiserror::Error;

use crate::connection::{ConnectError, Connection, Password};
use crate::dsn::Dsn;
use crate::facts::{FactsError, ServerFacts};
use crate::peer::{PeerError, server_process};
use crate::setting::{Setting, SettingError, verify};
use crate::taken::integer;
use crate::watch::{Exit, ProcessWatch};

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
    old: Vec<Setting>,
}

impl RunningServer {
    /// Connects, finds the server's process and sets the variables.
    pub async fn attach(config: &RunningConfig) -> Result<Self, RunningError> {
        let (connection, facts, watch) = log_in(&config.dsn, config.password.clone()).await?;
        let mut server = Self {
            connection,
            facts,
            watch,
            old: Vec::new(),
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

    /// Gives each variable that was set its old value again, and checks that.
    pub async fn restore(self) -> Result<(), RunningError> {
        if self.old.is_empty() {
            return Ok(());
        }
        let refused = self.set_back().await?;
        let variables = self.connection.variables().await?;
        let is_back =
            |setting: &Setting| verify(std::slice::from_ref(setting), &variables, self.facts.flavor);
        let not_restored: Vec<_> = self
            .old
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
    async fn set_back(&self) -> Result<Vec<(Setting, SettingError)>, RunningError> {
        let mut conn = self.connection.connect().await?;
        let mut refused = Vec::new();
        // Backwards: a variable may bound the values of one that was set before it.
        for setting in self.old.iter().rev() {
            match self.set_global(&mut conn, setting).await {
                Ok(()) => {}
                Err(RunningError::Setting(error)) => refused.push((setting.clone(), error)),
                Err(broken) => return Err(broken),
            }
        }
        self.connection.leave(conn).await?;
        Ok(refused)
    }

    async fn apply(&mut self, settings: &[Setting]) -> Result<(), RunningError> {
        if settings.is_empty() {
            return Ok(());
        }
        let mut conn = self.connection.connect().await?;
        for setting in settings {
            self.set_global(&mut conn, setting).await?;
            if let Some(value) = self.facts.variables.get(setting.name()) {
                self.old.push(Setting::new(setting.name(), value));
            }
        }
        self.connection.leave(conn).await?;
        self.facts.variables = self.connection.variables().await?;
        verify(settings, &self.facts.variables, self.facts.flavor)?;
        Ok(())
    }

    async fn set_global(&self, conn: &mut Conn, setting: &Setting) -> Result<(), RunningError> {
        let statement = format!("SET GLOBAL {} = {}", setting.name(), literal(setting.value()));
        conn.query_drop(statement)
            .await
            .map_err(|error| self.explain(setting, error))
    }

    /// Server error numbers: 1193 is `ER_UNKNOWN_SYSTEM_VARIABLE`, 1238 `ER_INCORRECT_GLOBAL_LOCAL_VAR`.
    fn explain(&self, setting: &Setting, error: mysql_async::Error) -> RunningError {
        let mysql_async::Error::Server(server) = &error else {
            return self.connection.explain(error).into();
        };
        let name = setting.name().to_owned();
        match server.code {
            1193 => SettingError::Unknown {
                name,
                flavor: self.facts.flavor,
            },
            1238 => SettingError::ReadOnly(name),
            _ => SettingError::Refused {
                setting: setting.clone(),
                message: server.message.clone(),
            },
        }
        .into()
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

/// A value as SQL: numbers with their suffix worked out, because SQL knows none; anything else quoted.
fn literal(value: &str) -> String {
    if let Some(number) = integer(value) {
        return number.to_string();
    }
    let decimal = value.starts_with(|c: char| c.is_ascii_digit()) && value.parse::<f64>().is_ok();
    if decimal {
        value.to_owned()
    } else {
        Value::from(value).as_sql(false)
    }
}

fn list(failed: &[(Setting, SettingError)]) -> String {
    let words: Vec<String> = failed
        .iter()
        .map(|(setting, error)| format!("{setting} ({error})"))
        .collect();
    words.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_become_sql_that_says_the_same() {
        assert_eq!(literal("256M"), "268435456");
        assert_eq!(literal("0.500000"), "0.500000");
        assert_eq!(literal("-1"), "-1");
        assert_eq!(literal("ON"), "'ON'");
        assert_eq!(literal(""), "''");
        assert_eq!(literal("it's"), r"'it\'s'");
        assert_eq!(literal("1; DROP"), "'1; DROP'");
    }
}
