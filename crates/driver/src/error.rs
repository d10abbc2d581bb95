//! Reasons why a drive measured nothing.

use std::io;
use std::time::Duration;

use thiserror::Error;

use crate::client::session_check::SessionError;
use crate::util::runtime::RuntimeError;
use crate::workloads::dataset::DatasetError;
use logtrace_common::ConnectError;

/// Reason why a drive measured nothing.
#[derive(Debug, Error)]
pub enum DriveError {
    /// The event loop cannot start.
    #[error(transparent)]
    Runtime(#[from] RuntimeError),
    /// The server cannot be reached.
    #[error(transparent)]
    Connect(#[from] ConnectError),
    /// The dataset is impossible.
    #[error(transparent)]
    Dataset(#[from] DatasetError),
    /// The rate is 0 or above the maximum.
    #[error("cannot offer a rate of {0} requests per second: choose a rate above 0 and up to 1,000,000")]
    Rate(f64),
    /// The server refused a session variable.
    #[error(transparent)]
    Session(#[from] SessionError),
    /// The server refused the workload's statements.
    #[error("cannot prepare the workload {workload}: {reason}. Are its tables loaded?")]
    Prepare {
        /// Name of the workload.
        workload: String,
        /// Error of the server.
        reason: mysql_async::Error,
    },
    /// The system refuses another thread.
    #[error("cannot start a thread for the connections")]
    Thread(#[source] io::Error),
    /// A thread panicked; its message is on stderr.
    #[error("a thread of the driver panicked: this is a bug in logtrace")]
    Lost,
    /// The timer failed.
    #[error("cannot wait for the next due time")]
    Timer(#[source] io::Error),
    /// The interval log could not be written.
    #[error("cannot write the latency log")]
    Log(#[source] io::Error),
    /// The caller cancelled the drive before the window.
    #[error("cancelled before anything was measured")]
    Cancelled,
    /// The server closed every connection before the window.
    #[error("the server closed every connection during the warm-up: see its error log")]
    GoneInWarmup,
    /// Requests of the warm-up do not end.
    #[error(
        "{running} requests of the warm-up were not answered within {grace:?}: is the server stopped or overloaded?"
    )]
    StuckInWarmup {
        /// Number of requests without an answer.
        running: u64,
        /// Time that was waited for them.
        grace: Duration,
    },
    /// The server completed no request while its capacity was measured.
    #[error("the server completed no request in {0:?}, so a rate in percent of its capacity has no meaning")]
    NoCapacity(Duration),
}
