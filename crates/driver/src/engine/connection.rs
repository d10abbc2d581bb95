//! Loop of one connection: waits for a request, issues it, and records how it ended.

use std::cell::Cell;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use logtrace_events::{Outcome, Request};
use mysql_async::Error;
use tokio::time::timeout;

use crate::client::connection::Conn;
use crate::engine::reconnect::reconnect;
use crate::engine::request_source::ScheduledRequest;
use crate::engine::shard_state::ConnectionSlot;
use crate::util::clock::now_ns;
use crate::workloads::custom::connection::CustomConnection;
use crate::workloads::options::{Content, Requests};
use crate::workloads::request_values::Draw;
use crate::workloads::sysbench::connection::SysbenchConnection;
use crate::workloads::tpcc::connection::TpccConnection;
use crate::workloads::workload::{Issued, Workload};

/// Future that serves requests until the drive is over, or the connection is lost for good.
pub(crate) type Serving = Pin<Box<dyn Future<Output = ()>>>;

/// Future that prepares the statements of a workload on a connection.
pub(crate) type Preparing = Pin<Box<dyn Future<Output = mysql_async::Result<Serving>>>>;

/// Number of further attempts before a deadlock or a timed-out lock wait counts as an error.
pub const MAX_RETRIES: u32 = 10;

/// Errors after which a client is expected to try again: `ER_CHECKREAD`, `ER_LOCK_WAIT_TIMEOUT` and
/// `ER_LOCK_DEADLOCK` (sysbench's default `--mysql-ignore-errors`).
const RETRIED: [u16; 3] = [1020, 1205, 1213];

/// Prepares the workload of `requests` on a connection.
pub(crate) fn prepare(requests: &Requests, conn: Conn, slot: ConnectionSlot) -> Preparing {
    match requests.content() {
        Content::Script(statements) => prepare_workload::<SysbenchConnection>(statements.clone(), conn, slot),
        Content::Tpcc(tpcc) => prepare_workload::<TpccConnection>(*tpcc, conn, slot),
        Content::File(custom) => prepare_workload::<CustomConnection>(Arc::clone(custom), conn, slot),
    }
}

/// Prepares workload `W` on a connection. This boxes a future once per connection, and none per request.
fn prepare_workload<W: Workload>(content: W::Content, mut conn: Conn, slot: ConnectionSlot) -> Preparing {
    Box::pin(async move {
        let workload = W::prepare(&mut conn, &content, &slot.context).await?;
        let serving: Serving = Box::pin(serve(workload, content, conn, slot));
        Ok(serving)
    })
}

async fn serve<W: Workload>(mut workload: W, content: W::Content, mut conn: Conn, mut slot: ConnectionSlot) {
    loop {
        if let Some(pause) = workload.pause() {
            // Think times are seconds, so tokio's rounding to milliseconds does not matter.
            tokio::time::sleep(pause).await;
        }
        let Some(scheduled) = slot.next_request().await else {
            break;
        };
        let outcome = run(&workload, &mut conn, &slot, scheduled).await;
        let given_up = outcome == Outcome::TimedOut;
        if given_up || outcome == Outcome::Disconnected {
            let Some(again) = reconnect(&mut slot, &content, given_up).await else {
                return;
            };
            (workload, conn) = again;
        }
    }
    // The measurement is over, so it does not matter how the connection ends.
    let _ = conn.disconnect().await;
}

/// Issues a request until it is done, or fails with an error that is not retried, and records its end.
async fn run<W: Workload>(
    workload: &W,
    conn: &mut Conn,
    slot: &ConnectionSlot,
    scheduled: ScheduledRequest,
) -> Outcome {
    let values = workload.draw(&mut Draw::request(
        slot.context.dataset,
        scheduled.base,
        scheduled.number,
    ));
    // The first poll of the future below writes to the socket.
    let sent_ns = now_ns();
    // Cells can be read even if the request is given up during an attempt.
    let (retries, attempt_ns) = (Cell::new(0), Cell::new(sent_ns));
    let issuing = async {
        loop {
            let failed = match workload.issue(conn, &values).await {
                Ok(issued) => return (Outcome::Done, issued),
                Err(Error::Server(error)) if RETRIED.contains(&error.code) && retries.get() < MAX_RETRIES => {
                    retries.update(|retries| retries + 1);
                    attempt_ns.set(now_ns());
                    slot.record_retry(error.code);
                    continue;
                }
                Err(Error::Server(error)) => Outcome::ServerError(error.code),
                // After any other error, packets of the server may still be on their way on this connection.
                Err(Error::Io(_) | Error::Driver(_) | Error::Url(_) | Error::Other(_)) => {
                    Outcome::Disconnected
                }
            };
            return (failed, Issued::Done);
        }
    };
    let (outcome, issued) = match slot.state.drive.config.deadline {
        // Deadlines are milliseconds or more, so tokio's timer is exact enough.
        Some(deadline) => timeout(deadline, issuing)
            .await
            .unwrap_or((Outcome::TimedOut, Issued::Done)),
        None => issuing.await,
    };
    let request = Request {
        due_ns: scheduled.due_ns.unwrap_or(sent_ns),
        connection_wait_ns: scheduled.connection_wait_ns,
        sent_ns,
        attempt_ns: attempt_ns.get(),
        done_ns: now_ns(),
        outcome,
        retries: retries.get(),
        thread: slot.thread,
    };
    slot.finish(&request, workload.kind(&values), issued == Issued::RolledBack);
    outcome
}
