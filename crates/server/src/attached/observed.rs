//! A server that somebody else runs and loads, which is looked at and never changed.

use crate::attached::managed::{RunningError, log_in};
use crate::attached::process_facts::{ProcessError, facts_of_process};
use crate::connection::dsn::Dsn;
use crate::facts::server::ServerFacts;
use crate::process::pidfd::{Exit, ProcessWatch};
use logtrace_common::{Connection, Password};

/// How a running server is named.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RunningChoice {
    /// By its process: there is no login, so that only what the process itself tells is known.
    Process(u32),
    /// By its address.
    Address(Dsn),
}

/// Why a running server cannot be watched.
#[derive(Debug, thiserror::Error)]
pub enum WatchError {
    /// The process is none of a server.
    #[error(transparent)]
    Process(#[from] ProcessError),
    /// It could not be asked, or its process not be watched.
    #[error(transparent)]
    Running(#[from] RunningError),
}

/// A running server that is watched: nothing of it is changed.
#[derive(Debug)]
pub struct WatchedServer {
    facts: ServerFacts,
    connection: Option<Connection>,
    watch: ProcessWatch,
}

impl WatchedServer {
    /// Finds the server. The password of one that is named by its address comes from the environment variable
    /// `LOGTRACE_PASSWORD`.
    pub async fn attach(choice: &RunningChoice) -> Result<Self, WatchError> {
        match choice {
            RunningChoice::Address(dsn) => {
                let (connection, facts, watch) = log_in(dsn, Password::from_environment()).await?;
                Ok(Self {
                    facts,
                    connection: Some(connection),
                    watch,
                })
            }
            &RunningChoice::Process(pid) => {
                let facts = facts_of_process(pid)?;
                let watch = ProcessWatch::new(pid).map_err(|source| RunningError::Watch { pid, source })?;
                Ok(Self {
                    facts,
                    connection: None,
                    watch,
                })
            }
        }
    }

    /// What is known of it.
    pub fn facts(&self) -> &ServerFacts {
        &self.facts
    }

    /// How to connect to it, if it was asked.
    pub fn connection(&self) -> Option<&Connection> {
        self.connection.as_ref()
    }

    /// Waits until its process has ended; only its parent can know how.
    pub async fn died(&self) -> Exit {
        self.watch.ended().await
    }
}
