//! Running server that is only observed and never changed.

use crate::attached::process_facts::facts_of_process;
use crate::attached::reach::{reach, watch};
use crate::error::ServerError;
use crate::facts::server::ServerFacts;
use crate::process::pidfd::{Exit, ProcessWatch};
use anyhow::Context;
use logtrace_common::Connection;

/// Name of a running server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ObservedChoice {
    /// Process number. There is no login, so only facts of the process are known.
    Process(u32),
    /// Address and account.
    Address(Connection),
}

/// Running server that is observed. Nothing in it is changed.
#[derive(Debug)]
pub struct ObservedServer {
    /// Process of the server.
    pub pid: u32,
    /// Facts of the server.
    pub facts: ServerFacts,
    /// Address and account, if there is a login.
    pub connection: Option<Connection>,
    watch: ProcessWatch,
}

impl ObservedServer {
    /// Finds the server.
    pub async fn attach(choice: &ObservedChoice) -> Result<Self, ServerError> {
        let (connection, facts, watch) = match choice {
            ObservedChoice::Address(connection) => {
                let reached = reach(connection).await?;
                (Some(reached.connection), reached.facts, reached.watch)
            }
            &ObservedChoice::Process(pid) => (None, facts_of_process(pid)?, Some(watch(pid)?)),
        };
        let pid = facts.pid.context("the server has no process")?;
        let watch = watch.context("the server has no process")?;
        Ok(Self {
            pid,
            facts,
            connection,
            watch,
        })
    }

    /// Waits until the process has ended. Only its parent can read its exit status.
    pub async fn died(&self) -> Exit {
        self.watch.ended().await
    }
}
