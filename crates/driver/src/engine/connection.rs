//! One connection: takes requests, issues them, and records how they ended.

use std::cell::Cell;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use logtrace_events::{Outcome, Request};
use mysql_async::Error;
use tokio::time::timeout;

use crate::client::connection::Conn;
use crate::engine::reconnect::reconnect;
use crate::engine::request_source::Turn;
use crate::engine::shard_state::Seat;
use crate::results::per_type::KindOf;
use crate::util::clock::now_ns;
use crate::workloads::custom::connection::CustomConnection;
use crate::workloads::options::{Content, Requests};
use crate::workloads::request_values::Draw;
use crate::workloads::sysbench::connection::SysbenchConnection;
use crate::workloads::tpcc::connection::TpccConnection;
use crate::workloads::workload::{Issued, Workload};

/// Serves requests until the drive is over, or the connection broke and did not come back.
pub(crate) type Serving = Pin<Box<dyn Future<Output = ()>>>;

/// Prepares what a workload needs on a connection.
pub(crate) type Preparing = Pin<Box<dyn Future<Output = mysql_async::Result<Serving>>>>;

/// Attempts beyond the first before a deadlock or a lock wait that timed out counts as an error.
pub const MAX_RETRIES: u32 = 10;

/// Errors that a client is expected to answer by trying again: `ER_CHECKREAD`, `ER_LOCK_WAIT_TIMEOUT` and
/// `ER_LOCK_DEADLOCK` (sysbench's default `--mysql-ignore-errors`).
const RETRIED: [u16; 3] = [1020, 1205, 1213];

/// Prepares the workload of these requests on a connection, ready to serve.
pub(crate) fn prepare(requests: &Requests, conn: Conn, seat: Seat) -> Preparing {
    match requests.content() {
        Content::Script(statements) => prepare_workload::<SysbenchConnection>(statements.clone(), conn, seat),
        Content::Tpcc(tpcc) => prepare_workload::<TpccConnection>(*tpcc, conn, seat),
        Content::File(custom) => prepare_workload::<CustomConnection>(Arc::clone(custom), conn, seat),
    }
}

/// Prepares workload `W` on a connection, ready to serve.
///
/// One box a connection; a request itself costs none.
fn prepare_workload<W: Workload>(content: W::Content, mut conn: Conn, seat: Seat) -> Preparing {
    Box::pin(async move {
        let workload = W::prepare(&mut conn, &content, &seat.context).await?;
        let serving: Serving = Box::pin(serve(workload, content, conn, seat));
        Ok(serving)
    })
}

async fn serve<W: Workload>(mut workload: W, content: W::Content, mut conn: Conn, mut seat: Seat) {
    loop {
        if let Some(pause) = workload.pause() {
            // A user's time is in seconds: that tokio rounds to milliseconds does not matter.
            tokio::time::sleep(pause).await;
        }
        let Some(turn) = seat.turn().await else {
            break;
        };
        let (request, kind) = run(&workload, &mut conn, &seat, turn).await;
        seat.finish(&request, kind);
        let given_up = request.outcome == Outcome::TimedOut;
        if given_up || request.outcome == Outcome::Disconnected {
            let Some(again) = reconnect(&mut seat, &content, given_up).await else {
                return;
            };
            (workload, conn) = again;
        }
    }
    // The measurement is over, and the server will see the connection end one way or the other.
    let _ = conn.disconnect().await;
}

async fn run<W: Workload>(
    workload: &W,
    conn: &mut Conn,
    seat: &Seat,
    turn: Turn,
) -> (Request, Option<KindOf>) {
    let values = workload.draw(&mut Draw::request(seat.context.dataset, turn.base, turn.number));
    // The first poll of the future below writes to the socket.
    let sent_ns = now_ns();
    let attempts = Attempts {
        repeated: Cell::new(0),
        last_ns: Cell::new(sent_ns),
    };
    let issuing = attempts.issue(workload, conn, seat, &values);
    let (outcome, issued) = match seat.deadline {
        // A deadline is in milliseconds and more: tokio's timer will do.
        Some(deadline) => timeout(deadline, issuing)
            .await
            .unwrap_or((Outcome::TimedOut, Issued::Done)),
        None => issuing.await,
    };
    let request = Request {
        due_ns: turn.due_ns.unwrap_or(sent_ns),
        sent_ns,
        attempt_ns: attempts.last_ns.get(),
        done_ns: now_ns(),
        outcome,
        retries: attempts.repeated.get(),
        thread: seat.thread,
    };
    let rolled_back = issued == Issued::RolledBack;
    let kind = workload.kind(&values);
    (request, kind.map(|kind| KindOf { kind, rolled_back }))
}

/// The attempts at one request; they can be read when it was given up in the middle of one.
struct Attempts {
    /// Those that failed and were repeated.
    repeated: Cell<u32>,
    /// When the last one began.
    last_ns: Cell<u64>,
}

impl Attempts {
    /// Issues the request until it is done, or failed in a way that is not worth another attempt; how it ended matters
    /// only where it is done.
    async fn issue<W: Workload>(
        &self,
        workload: &W,
        conn: &mut Conn,
        seat: &Seat,
        values: &W::Values,
    ) -> (Outcome, Issued) {
        loop {
            let failed = match workload.issue(conn, values).await {
                Ok(issued) => return (Outcome::Done, issued),
                Err(Error::Server(error))
                    if RETRIED.contains(&error.code) && self.repeated.get() < MAX_RETRIES =>
                {
                    self.repeated.update(|repeated| repeated + 1);
                    self.last_ns.set(now_ns());
                    seat.retry(error.code);
                    continue;
                }
                Err(Error::Server(error)) => Outcome::ServerError(error.code),
                // After anything else nobody knows what the server still has to say on this connection.
                Err(Error::Io(_) | Error::Driver(_) | Error::Url(_) | Error::Other(_)) => {
                    Outcome::Disconnected
                }
            };
            return (failed, Issued::Done);
        }
    }
}
