//! What a run gives before it is put together.

use logtrace_driver::Measured;
use logtrace_server::Server;

use crate::measurement::ServerSnapshot;
use crate::run::load::consistency::ConsistencyChecks;

/// Everything that a run gives before it is put together.
#[derive(Debug)]
pub(crate) struct RunOutcome {
    /// The server, and what was seen of it.
    pub(crate) snapshot: ServerSnapshot,
    /// Whether the tables are those that an earlier run left.
    pub(crate) tables_reused: bool,
    /// Requests a second of a closed loop, when that was measured.
    pub(crate) capacity_per_s: Option<f64>,
    /// What the driver measured; `None` as long as the run goes on.
    pub(crate) measured: Option<Measured>,
    /// The consistency of the tables, where it was checked.
    pub(crate) checked: ConsistencyChecks,
    /// Whether the disk of the server's data was full in the end.
    pub(crate) disk_full: bool,
    /// What could not be put back on the server as it was.
    pub(crate) teardown_error: Option<String>,
}

impl RunOutcome {
    /// Before anything is measured.
    pub(crate) fn before(server: &Server) -> Self {
        Self {
            snapshot: ServerSnapshot::before(server.facts(), Some(server.connection()), server.placed()),
            tables_reused: false,
            capacity_per_s: None,
            measured: None,
            checked: ConsistencyChecks::default(),
            disk_full: false,
            teardown_error: None,
        }
    }
}
