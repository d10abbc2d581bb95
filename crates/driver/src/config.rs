//! Configuration of a drive.

use std::num::NonZeroUsize;
use std::time::Duration;

use crate::client::target::Target;
use crate::schedule::pace::Pace;
use crate::workloads::dataset::Dataset;
use crate::workloads::options::Requests;
use logtrace_common::Variable;

/// Configuration of one drive: a warm-up, then the measured window.
#[derive(Clone, Debug)]
pub struct DriveConfig {
    /// Server and database.
    pub target: Target,
    /// Session variables that each connection sets.
    pub session: Vec<Variable>,
    /// Global variables that were set on the server for this drive. Sessions leave them as they are.
    pub globals: Vec<Variable>,
    /// Workload with its options.
    pub requests: Requests,
    /// Tables, and the seed of arrivals and values.
    pub dataset: Dataset,
    /// Number of connections. Each serves one request at a time.
    pub connections: NonZeroUsize,
    /// Times when requests are sent.
    pub pace: Pace,
    /// Length of the warm-up before the window, at the same pace; a schedule also starts from its beginning. Nothing is
    /// recorded in it.
    pub warmup: Duration,
    /// Length of the window.
    pub duration: Duration,
    /// Longest wait after the window for requests that were due in it.
    pub grace: Duration,
    /// Whether to spin for the last microseconds before a due time, if a CPU is free.
    pub spin: bool,
    /// Time to keep reconnecting after a connection is lost, with growing pauses. The request on the connection has
    /// failed; requests that fall due meanwhile wait. Zero if a server that ends does not come back.
    pub reconnect_for: Duration,
    /// Longest time from sending a request to its answer; `None` for no limit. After it the request has failed, and its
    /// connection is replaced, because the server may still be working on the request.
    pub deadline: Option<Duration>,
}

/// Default grace period: a device that stalls for seconds at the end of the window is measured to the end of its stall. A
/// server that keeps up needs none of it.
pub const DEFAULT_GRACE: Duration = Duration::from_secs(30);
