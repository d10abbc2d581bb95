//! What to drive.

use std::num::NonZeroUsize;
use std::time::Duration;

use crate::client::session_variable::SessionVariable;
use crate::client::target::Target;
use crate::schedule::pace::Pace;
use crate::workloads::dataset::Dataset;
use crate::workloads::options::Requests;

/// One drive: warm-up, then the measured window.
#[derive(Clone, Debug)]
pub struct DriveConfig {
    /// The server.
    pub target: Target,
    /// Variables that each connection sets when it is made.
    pub session: Vec<SessionVariable>,
    /// What requests are.
    pub requests: Requests,
    /// The tables, and the seed of arrivals and values.
    pub dataset: Dataset,
    /// Connections, each with one request at a time.
    pub connections: NonZeroUsize,
    /// When requests start.
    pub pace: Pace,
    /// Time at the same pace before the window, along a schedule from its start too; nothing of it is recorded.
    pub warmup: Duration,
    /// Length of the window.
    pub duration: Duration,
    /// Time after the window for requests that were due in it, and after the warm-up for those that run then.
    pub grace: Duration,
    /// Whether the last microseconds before a due time are waited for on the CPU, where there is one to spare.
    pub spin: bool,
    /// How long a lost connection is tried to be made again while the server refuses it, with pauses that get longer.
    /// Its request has failed, and those that fall due meanwhile wait. Zero where a server that ends does not come back.
    pub reconnect_for: Duration,
    /// How long a request may take from when it is sent; then it has failed, and its connection is given up and made
    /// again, as nobody knows when the server will have done with it. `None`: as long as it takes.
    pub deadline: Option<Duration>,
}

/// The grace that suits a server which keeps up.
pub const DEFAULT_GRACE: Duration = Duration::from_secs(5);
