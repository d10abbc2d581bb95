//! Reasons why a drive measured nothing.

use std::io;
use std::time::Duration;

use thiserror::Error;

use crate::client::session_check::SessionError;
use crate::client::target::ConnectError;
use crate::util::runtime::RuntimeError;
use crate::workloads::dataset::DatasetError;

/// Why nothing was measured.
#[derive(Debug, Error)]
pub enum DriveError {
    /// No event loop.
    #[error(transparent)]
    Runtime(#[from] RuntimeError),
    /// No server.
    #[error(transparent)]
    Connect(#[from] ConnectError),
    /// No such tables.
    #[error(transparent)]
    Dataset(#[from] DatasetError),
    /// No requests would ever be due, or more than can be sent.
    #[error("a rate of {0} requests a second cannot be offered: give one above 0, and of at most 1,000,000")]
    Rate(f64),
    /// The server refused a session variable.
    #[error(transparent)]
    Session(#[from] SessionError),
    /// The server refused the workload's statements.
    #[error("cannot prepare the workload {workload}: {reason}. Are its tables loaded?")]
    Prepare {
        /// The workload's name.
        workload: String,
        /// What the server said.
        reason: mysql_async::Error,
    },
    /// The system gave no thread.
    #[error("cannot start a thread for the connections: {0}")]
    Thread(io::Error),
    /// A thread ended without a word; what it said is on stderr.
    #[error("a thread of the driver failed: this is an error of logtrace")]
    Lost,
    /// The timer failed.
    #[error("cannot wait for the next due time: {0}")]
    Timer(io::Error),
    /// The interval log could not be written.
    #[error("cannot write the latency log: {0}")]
    Log(io::Error),
    /// Cancelled before the window.
    #[error("cancelled before anything was measured")]
    Cancelled,
    /// Every connection broke before the window.
    #[error("the server closed every connection during the warm-up: see its error log")]
    GoneInWarmup,
    /// The warm-up does not end.
    #[error(
        "{running} requests of the warm-up had no answer after {grace:?}: is the server stopped or overloaded?"
    )]
    StuckInWarmup {
        /// Requests without an answer.
        running: u64,
        /// How long they were waited for.
        grace: Duration,
    },
    /// A capacity of nothing.
    #[error("the server did no request at all in {0:?}: there is no capacity to take a share of")]
    NoCapacity(Duration),
}
