//! Loop of one connection: waits for a request, issues it, and records how it ended.

use std::cell::Cell;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use logtrace_events::{Outcome, Request};
use mysql_async::Error;
use tokio::time::timeout;

use crate::client::Conn;
use crate::engine::reconnect::reconnect;
use crate::engine::request_source::ScheduledRequest;
use crate::engine::shard_state::ConnectionSlot;
use crate::results::recorder::DISCONNECTED;
use crate::util::clock::now_ns;
use crate::workloads::custom::connection::CustomConnection;
use crate::workloads::options::{Content, Requests};
use crate::workloads::request_values::Draw;
use crate::workloads::sysbench::SysbenchConnection;
use crate::workloads::tpcc::TpccConnection;
use crate::workloads::{Issued, WorkloadConnection};

/// Future that serves requests until the drive is over, or the connection is lost for good.
pub(crate) type Serving = Pin<Box<dyn Future<Output = ()>>>;

/// Future that prepares the statements of a workload on a connection. The error has the statement that failed, if it is known.
pub(crate) type Preparing = Pin<Box<dyn Future<Output = Result<Serving, (Error, Option<String>)>>>>;

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
fn prepare_workload<W: WorkloadConnection>(
    content: W::Content,
    mut conn: Conn,
    slot: ConnectionSlot,
) -> Preparing {
    Box::pin(async move {
        conn.take_failed();
        let prepared = W::prepare(&mut conn, &content, &slot.context).await;
        let workload = prepared.map_err(|error| (error, conn.take_failed()))?;
        let serving: Serving = Box::pin(serve(workload, content, conn, slot));
        Ok(serving)
    })
}

async fn serve<W: WorkloadConnection>(
    mut workload: W,
    content: W::Content,
    mut conn: Conn,
    mut slot: ConnectionSlot,
) {
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

/// Returns how a request ended that failed for good, and keeps why.
fn failed(slot: &ConnectionSlot, error: &Error, statement: Option<String>) -> Outcome {
    let (outcome, code) = match error {
        Error::Server(error) => (Outcome::ServerError(error.code), error.code),
        // After any other error, packets of the server may still be on their way on this connection.
        Error::Io(_) | Error::Driver(_) | Error::Url(_) | Error::Other(_) => {
            (Outcome::Disconnected, DISCONNECTED)
        }
    };
    slot.record_failure(code, error, statement);
    outcome
}

/// Issues a request until it is done, or fails with an error that is not retried, and records its end.
async fn run<W: WorkloadConnection>(
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
            // What failed before, such as a question of the client's own, is not of this request.
            conn.take_failed();
            let error = match workload.issue(conn, &values).await {
                Ok(issued) => return (Outcome::Done, issued),
                Err(error) => error,
            };
            let statement = conn.take_failed();
            match &error {
                Error::Server(error) if RETRIED.contains(&error.code) && retries.get() < MAX_RETRIES => {
                    retries.update(|retries| retries + 1);
                    attempt_ns.set(now_ns());
                    slot.record_retry(error.code);
                }
                _ => return (failed(slot, &error, statement), Issued::Done),
            }
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
