//! One connection: takes requests, issues them, and records how they ended.

use std::future::Future;
use std::pin::Pin;

use logtrace_events::{Outcome, Request};
use mysql_async::{Conn, Error};

use crate::clock::now_ns;
use crate::draw::Draw;
use crate::floor::Seat;
use crate::kinds::KindOf;
use crate::source::Turn;
use crate::workloads::{Issued, Workload};

/// Serves requests until the drive is over or the connection breaks.
pub(crate) type Serving = Pin<Box<dyn Future<Output = ()>>>;

/// Prepares what a workload needs on a connection.
pub(crate) type Preparing = Pin<Box<dyn Future<Output = mysql_async::Result<Serving>>>>;

/// Attempts beyond the first before a deadlock or a lock wait that timed out counts as an error.
pub const MAX_RETRIES: u32 = 10;

/// Errors that a client is expected to answer by trying again: `ER_CHECKREAD`, `ER_LOCK_WAIT_TIMEOUT` and
/// `ER_LOCK_DEADLOCK` (sysbench's default `--mysql-ignore-errors`).
const RETRIED: [u16; 3] = [1020, 1205, 1213];

/// Prepares workload `W` on a connection, ready to serve.
///
/// One box a connection; a request itself costs none.
pub(crate) fn prepare<W: Workload>(mut conn: Conn, seat: Seat) -> Preparing {
    Box::pin(async move {
        let workload = W::prepare(&mut conn, &seat).await?;
        let serving: Serving = Box::pin(serve(workload, conn, seat));
        Ok(serving)
    })
}

async fn serve<W: Workload>(workload: W, mut conn: Conn, seat: Seat) {
    loop {
        if let Some(pause) = workload.pause() {
            // A user's time is in seconds: that tokio rounds to milliseconds does not matter.
            tokio::time::sleep(pause).await;
        }
        let Some(turn) = seat.turn().await else {
            break;
        };
        let (request, done) = run(&workload, &mut conn, &seat, turn).await;
        seat.finish(&request, done);
        if request.outcome == Outcome::Disconnected {
            return;
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
    let values = workload.draw(&mut Draw::request(seat.dataset, turn.base, turn.number));
    // The first poll of the future below writes to the socket.
    let sent_ns = now_ns();
    let (mut retries, mut rolled_back) = (0, false);
    let outcome = loop {
        match workload.issue(conn, &values).await {
            Ok(issued) => {
                rolled_back = issued == Issued::RolledBack;
                break Outcome::Done;
            }
            Err(Error::Server(error)) if RETRIED.contains(&error.code) && retries < MAX_RETRIES => {
                retries += 1;
                seat.retry(error.code);
            }
            Err(Error::Server(error)) => break Outcome::ServerError(error.code),
            // After anything else nobody knows what the server still has to say on this connection.
            Err(Error::Io(_) | Error::Driver(_) | Error::Url(_) | Error::Other(_)) => {
                break Outcome::Disconnected;
            }
        }
    };
    let request = Request {
        due_ns: turn.due_ns.unwrap_or(sent_ns),
        sent_ns,
        done_ns: now_ns(),
        outcome,
        retries,
        thread: seat.thread,
    };
    let kind = workload.kind(&values);
    (request, kind.map(|kind| KindOf { kind, rolled_back }))
}
