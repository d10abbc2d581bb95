//! Outcome of a run.

use std::num::NonZeroUsize;

use logtrace_driver::{Capacity, DriveResult};
use logtrace_server::Server;

use crate::measurement::ServerSnapshot;
use crate::outcome::consistency_checks::ConsistencyChecks;

/// Outcome of a run.
#[derive(Debug)]
pub struct RunOutcome {
    /// Facts about the server, and its trace.
    pub snapshot: ServerSnapshot,
    /// Whether an earlier run had kept the tables.
    pub(crate) tables_reused: bool,
    /// Number of connections of the window.
    pub(crate) connections: NonZeroUsize,
    /// Capacity, if it was measured.
    pub(crate) capacity: Option<Capacity>,
    /// Results of the driver, or `None` while the run goes on.
    pub measured: Option<DriveResult>,
    /// Consistency of the tables.
    pub(crate) checked: ConsistencyChecks,
    /// Whether the disk of the server's data was full at the end.
    pub(crate) disk_full: bool,
    /// Errors that left files of the load incomplete.
    pub(crate) not_saved: Vec<String>,
    /// Error of the teardown.
    pub(crate) teardown_error: Option<String>,
}

impl RunOutcome {
    /// Returns the outcome before the measurement.
    pub(crate) fn before(server: &Server, connections: NonZeroUsize) -> Self {
        Self {
            snapshot: ServerSnapshot::before(server.facts(), Some(server.connection()), server.placed()),
            tables_reused: false,
            connections,
            capacity: None,
            measured: None,
            checked: ConsistencyChecks::default(),
            disk_full: false,
            not_saved: Vec::new(),
            teardown_error: None,
        }
    }
}
