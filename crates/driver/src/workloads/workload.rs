//! The interface of a workload to the engine.

use std::time::Duration;

use crate::client::connection::Conn;
use crate::engine::shard_state::Seat;
use crate::workloads::request_values::Draw;

/// How one kind of request is made. An implementation holds what it has prepared on its connection.
pub(crate) trait Workload: Sized + 'static {
    /// What differs between two requests.
    type Values;

    /// Prepares the statements that the requests of a seat need.
    async fn prepare(conn: &mut Conn, seat: &Seat) -> mysql_async::Result<Self>;

    /// How long the user of this connection keeps it waiting before the next request; `None` without such users.
    fn pause(&self) -> Option<Duration> {
        None
    }

    /// Draws the values of one request.
    fn draw(&self, draw: &mut Draw) -> Self::Values;

    /// Of which of the workload's kinds the request with these values is; `None` where all are the same.
    fn kind(&self, values: &Self::Values) -> Option<usize> {
        let _ = values;
        None
    }

    /// Issues one request with these values, again with the same ones after a deadlock.
    async fn issue(&self, conn: &mut Conn, values: &Self::Values) -> mysql_async::Result<Issued>;
}

/// How a request that the server did ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Issued {
    /// With its work done.
    Done,
    /// Rolled back, as it was meant to.
    RolledBack,
}
