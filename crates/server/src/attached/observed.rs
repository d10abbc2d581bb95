//! Running server that is only observed and never changed.

use crate::attached::managed::{log_in, watch};
use crate::attached::process_facts::facts_of_process;
use crate::connection::dsn::Dsn;
use crate::error::ServerError;
use crate::facts::server::ServerFacts;
use crate::process::pidfd::{Exit, ProcessWatch};
use logtrace_common::{Connection, Password};

/// Name of a running server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ObservedChoice {
    /// Process number. There is no login, so only facts of the process are known.
    Process(u32),
    /// Address and account.
    Address(Dsn),
}

/// Running server that is observed. Nothing in it is changed.
#[derive(Debug)]
pub struct ObservedServer {
    facts: ServerFacts,
    connection: Option<Connection>,
    watch: ProcessWatch,
}

impl ObservedServer {
    /// Finds the server. The password of an account comes from the environment variable `LOGTRACE_PASSWORD`.
    pub async fn attach(choice: &ObservedChoice) -> Result<Self, ServerError> {
        let (facts, connection, watch) = match choice {
            ObservedChoice::Address(dsn) => {
                let (connection, facts, watch) = log_in(dsn, Password::from_environment()).await?;
                (facts, Some(connection), watch)
            }
            &ObservedChoice::Process(pid) => (facts_of_process(pid)?, None, watch(pid)?),
        };
        Ok(Self {
            facts,
            connection,
            watch,
        })
    }

    /// Returns the facts of the server.
    pub fn facts(&self) -> &ServerFacts {
        &self.facts
    }

    /// Returns address and account, if there is a login.
    pub fn connection(&self) -> Option<&Connection> {
        self.connection.as_ref()
    }

    /// Waits until the process has ended. Only its parent can read its exit status.
    pub async fn died(&self) -> Exit {
        self.watch.ended().await
    }
}
