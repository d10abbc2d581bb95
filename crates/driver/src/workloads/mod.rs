//! Workloads: statements that one request consists of, and values drawn for it.

pub(crate) mod compat;
pub(crate) mod custom;
pub(crate) mod dataset;
pub(crate) mod keys;
pub(crate) mod load_batch;
pub(crate) mod options;
pub(crate) mod protocol;
pub(crate) mod registry;
pub(crate) mod request_values;
pub(crate) mod statement;
pub(crate) mod sysbench;
pub mod tpcc;
pub(crate) mod transaction;

use std::time::Duration;

use crate::client::Conn;
use crate::workloads::dataset::Dataset;
use crate::workloads::protocol::Protocol;
use crate::workloads::request_values::Draw;

/// Properties of a drive and a connection that a workload prepares for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct WorkloadContext {
    /// Tables that requests use, and the seed of their values.
    pub(crate) dataset: Dataset,
    /// Number of the connection among all connections of the drive, from 0.
    pub(crate) connection: usize,
    /// Protocol that statements are sent with.
    pub(crate) protocol: Protocol,
}

/// Requests of one workload on one connection. An implementation holds the statements prepared on its connection.
pub(crate) trait WorkloadConnection: Sized + 'static {
    /// Definition of the workload, with its options.
    type Content: 'static;

    /// Values that differ between two requests.
    type Values;

    /// Prepares the statements that the requests of a connection need.
    async fn prepare(
        conn: &mut Conn,
        content: &Self::Content,
        context: &WorkloadContext,
    ) -> mysql_async::Result<Self>;

    /// Returns the time that the user of this connection waits before the next request, or `None` if there are no users.
    fn pause(&self) -> Option<Duration> {
        None
    }

    /// Draws the values of one request.
    fn draw(&self, draw: &mut Draw) -> Self::Values;

    /// Returns the index of the kind of a request, or `None` if the workload has only one kind.
    fn kind(&self, values: &Self::Values) -> Option<usize> {
        let _ = values;
        None
    }

    /// Issues one request with these values, again with the same ones after a deadlock.
    async fn issue(&self, conn: &mut Conn, values: &Self::Values) -> mysql_async::Result<Issued>;
}

/// End of a request that the server accepted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Issued {
    /// Work that is done.
    Done,
    /// Transaction that was rolled back on purpose.
    RolledBack,
}

use thiserror::Error;

pub(crate) const RANGE_SIZE_OPTION: &str = "--range-size";
pub(crate) const SKIP_TRX_OPTION: &str = "--skip-trx";
pub(crate) const PROTOCOL_OPTION: &str = "--protocol";

/// Reason why an option is refused.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{0}")]
pub struct OptionError(pub(crate) String);
