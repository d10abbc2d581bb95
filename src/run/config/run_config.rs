//! Configuration of a run.

use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::time::Duration;

use logtrace_common::Variable;
use logtrace_driver::{Dataset, Requests};
use logtrace_server::{Home, ServerChoice};

use crate::measurement::TracingConfig;
use crate::run::config::pacing::Pacing;
use crate::run::config::storage::Storage;

/// Checked configuration of a run.
#[derive(Clone, Debug)]
pub(crate) struct RunConfig {
    /// Contents of requests.
    pub(crate) requests: Requests,
    /// Whether to check the consistency of the tables before and after the run.
    pub(crate) check: bool,
    /// Tables, distribution of keys, and seed.
    pub(crate) dataset: Dataset,
    /// Number of connections.
    pub(crate) connections: NonZeroUsize,
    /// Times at which requests start.
    pub(crate) pacing: Pacing,
    /// Length of the load before the window.
    pub(crate) warmup: Duration,
    /// Length of the window.
    pub(crate) duration: Duration,
    /// Whether to spin on the CPU for the last microseconds before a request is due.
    pub(crate) spin: bool,
    /// Longest time that a request may take, or `None` for no limit.
    pub(crate) deadline: Option<Duration>,
    /// Time to keep reconnecting after a connection is lost.
    pub(crate) reconnect_for: Duration,
    /// Server to measure, or `None` for a private one that is found.
    pub(crate) server: Option<ServerChoice>,
    /// Variables to set on the server.
    pub(crate) settings: Vec<Variable>,
    /// Variables to set in the sessions of the load.
    pub(crate) session: Vec<Variable>,
    /// Whether the tables stay on a running server.
    pub(crate) keep_tables: bool,
    /// Places of a private server's files.
    pub(crate) storage: Storage,
    /// Whether to trace.
    pub(crate) trace: bool,
    /// Configuration of the tracer.
    pub(crate) tracing: TracingConfig,
    /// Directory in which run directories are created.
    pub(crate) out: PathBuf,
    /// Directories in which private servers are created.
    pub(crate) home: Home,
}

impl RunConfig {
    /// Returns the settings of the server. Adds room for all connections (those of the loader and of an administrator
    /// included) and for their prepared statements, if the defaults of a private server are too small.
    pub(crate) fn server_settings(&self) -> Vec<Variable> {
        const ROOM: usize = 51;
        // Both servers' defaults.
        const CONNECTIONS: usize = 151;
        const STATEMENTS: usize = 16_382;
        // Maximum in MySQL.
        const MOST_STATEMENTS: usize = 4_194_304;
        let connections = self.connections.get();
        let statements = connections * self.requests.prepared_statements(self.dataset.tables);
        let needed = [
            ("max_connections", connections + ROOM, CONNECTIONS),
            (
                "max_prepared_stmt_count",
                statements.min(MOST_STATEMENTS),
                STATEMENTS,
            ),
        ];
        let mut settings = self.settings.clone();
        for (name, wanted, default) in needed {
            let is_chosen = settings.iter().any(|setting| setting.name() == name);
            if self.is_private() && !is_chosen && wanted > default {
                settings.extend(format!("{name}={wanted}").parse());
            }
        }
        settings
    }

    /// Returns whether logtrace starts the server itself.
    pub(crate) fn is_private(&self) -> bool {
        !matches!(self.server, Some(ServerChoice::Running(_)))
    }
}
