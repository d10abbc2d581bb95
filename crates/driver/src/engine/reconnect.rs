//! Connecting, and reconnecting after a connection is lost.

use tokio::time::{Instant, sleep};

use crate::client::connection::Conn;
use crate::client::server_thread::server_thread;
use crate::client::session_check::set_session;
use crate::client::target::Use;
use crate::engine::backoff::Backoff;
use crate::engine::shard_state::ConnectionSlot;
use crate::error::DriveError;
use crate::results::outages::OutageCause;
use crate::util::clock::{NS_PER_S, now_ns};
use crate::workloads::workload::Workload;

/// Reconnects and prepares the workload again, with growing pauses between attempts. Returns `None` when the time for
/// reconnecting is over.
///
/// A connection that was `given_up` after a deadline counts as lost only if the server refuses another connection.
pub(crate) async fn reconnect<W: Workload>(
    slot: &mut ConnectionSlot,
    content: &W::Content,
    given_up: bool,
) -> Option<(W, Conn)> {
    let lost_connection_ns = slot.connected_ns;
    let until = Instant::now() + slot.reconnection().retry_for;
    let mut is_lost = !given_up;
    if is_lost {
        slot.mark_lost(now_ns());
    }
    for pause in Backoff::new(slot.context.connection) {
        if let Some((workload, mut conn)) = attempt(slot, content).await {
            if is_lost {
                let cause = cause(&mut conn, lost_connection_ns).await;
                slot.mark_back(cause);
            }
            return Some((workload, conn));
        }
        if !std::mem::replace(&mut is_lost, true) {
            slot.mark_lost(now_ns());
        }
        let left = until.saturating_duration_since(Instant::now());
        if left.is_zero() {
            break;
        }
        sleep(pause.min(left)).await;
    }
    slot.leave();
    None
}

/// Tries once to connect and prepare. The error does not matter, because the next attempt may succeed.
async fn attempt<W: Workload>(slot: &mut ConnectionSlot, content: &W::Content) -> Option<(W, Conn)> {
    let mut conn = connect(slot).await.ok()?;
    let workload = W::prepare(&mut conn, content, &slot.context).await.ok()?;
    Some((workload, conn))
}

/// Connects a slot. If requests are finds_threads, also finds out which thread of the server serves the connection.
pub(crate) async fn connect(slot: &mut ConnectionSlot) -> Result<Conn, DriveError> {
    let target = &slot.reconnection().target;
    let mut conn = Conn::connect(target, Use::Database)
        .await
        .map_err(|source| target.connection.explain(source))?;
    slot.connected_ns = now_ns();
    if slot.reconnection().finds_threads {
        slot.thread = server_thread(&mut conn).await;
    }
    set_session(&mut conn, &slot.reconnection().session).await?;
    Ok(conn)
}

/// Returns whether the server was restarted after the connection of `connected_ns`, or only closed the connection.
async fn cause(conn: &mut Conn, connected_ns: u64) -> OutageCause {
    let uptime = conn
        .query_first::<(String, u64)>("SHOW GLOBAL STATUS LIKE 'Uptime'")
        .await;
    let Ok(Some((_, uptime_s))) = uptime else {
        return OutageCause::Unknown;
    };
    // `Uptime` is in whole seconds, so the start time has an error of up to 1 s. A restart within two seconds of the
    // connection may be missed, but a closed connection is never taken for a restart.
    let started_ns = now_ns().saturating_sub((uptime_s + 1) * NS_PER_S);
    if started_ns > connected_ns {
        OutageCause::Restarted
    } else {
        OutageCause::Closed
    }
}
