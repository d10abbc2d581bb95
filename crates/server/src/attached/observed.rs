//! Running server that is only observed and never changed.

use std::path::PathBuf;

use crate::attached::find_server::{only_server, server_of_directory, server_of_unit};
use crate::attached::process_facts::{facts_of_process, named_process};
use crate::attached::reach::{reach, watch};
use crate::error::ServerError;
use crate::facts::server::ServerFacts;
use crate::process::pidfd::{ProcessEnd, ProcessWatch};
use anyhow::Context;
use logtrace_common::Connection;

/// Name of a running server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ObservedChoice {
    /// Process number. There is no login, so only facts of the process are known.
    Process(u32),
    /// systemd unit. There is no login either.
    Unit(String),
    /// Data directory. There is no login either.
    DataDirectory(PathBuf),
    /// Address and account.
    Address(Connection),
    /// The only server of this machine. There is no login either.
    Only,
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
        let process = match choice {
            ObservedChoice::Address(connection) => return Self::reached(connection).await,
            ObservedChoice::Only => only_server()?,
            ObservedChoice::Process(pid) => named_process(*pid)?,
            ObservedChoice::Unit(unit) => server_of_unit(unit)?,
            ObservedChoice::DataDirectory(path) => server_of_directory(path)?,
        };
        Ok(Self {
            pid: process.pid(),
            watch: watch(&process)?,
            facts: facts_of_process(process)?,
            connection: None,
        })
    }

    async fn reached(connection: &Connection) -> Result<Self, ServerError> {
        let reached = reach(connection).await?;
        Ok(Self {
            pid: reached.facts.pid.context("the server has no process")?,
            facts: reached.facts,
            connection: Some(reached.connection),
            watch: reached.watch.context("the server has no process")?,
        })
    }

    /// Waits until the process has ended. Only its parent can read its exit status.
    pub async fn died(&self) -> ProcessEnd {
        self.watch.ended().await
    }
}
