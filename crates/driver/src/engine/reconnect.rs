//! A connection that was lost comes back.

use tokio::time::{Instant, sleep};

use crate::client::connection::Conn;
use crate::client::server_thread::server_thread;
use crate::client::session_check::set_session;
use crate::client::target::Use;
use crate::engine::backoff::Backoff;
use crate::engine::shard_state::Seat;
use crate::error::DriveError;
use crate::results::outages::OutageCause;
use crate::util::clock::{NS_PER_S, now_ns};
use crate::workloads::workload::Workload;

/// Connects again and prepares what the workload needs, with pauses that get longer; `None` once patience is over.
///
/// A connection that was given up after a `deadline` was not lost, unless the server refuses another one.
pub(crate) async fn reconnect<W: Workload>(
    seat: &mut Seat,
    content: &W::Content,
    given_up: bool,
) -> Option<(W, Conn)> {
    let lost_connection_ns = seat.connected_ns;
    let until = Instant::now() + seat.reconnection().patience;
    let mut is_lost = !given_up;
    if is_lost {
        seat.lost(now_ns());
    }
    for pause in Backoff::new(seat.context.connection) {
        if let Some((workload, mut conn)) = attempt(seat, content).await {
            if is_lost {
                let cause = cause(&mut conn, lost_connection_ns).await;
                seat.back(cause);
            }
            return Some((workload, conn));
        }
        if !std::mem::replace(&mut is_lost, true) {
            seat.lost(now_ns());
        }
        let left = until.saturating_duration_since(Instant::now());
        if left.is_zero() {
            break;
        }
        sleep(pause.min(left)).await;
    }
    seat.leave();
    None
}

/// Why an attempt failed does not matter: the next one may not.
async fn attempt<W: Workload>(seat: &mut Seat, content: &W::Content) -> Option<(W, Conn)> {
    let mut conn = connect(seat).await.ok()?;
    let workload = W::prepare(&mut conn, content, &seat.context).await.ok()?;
    Some((workload, conn))
}

/// Makes a seat's connection. Who observes the requests also learns which thread of the server serves it.
pub(crate) async fn connect(seat: &mut Seat) -> Result<Conn, DriveError> {
    let target = &seat.reconnection().target;
    let mut conn = Conn::connect(target, Use::Database)
        .await
        .map_err(|source| target.refused(source))?;
    seat.connected_ns = now_ns();
    if seat.reconnection().observed {
        seat.thread = server_thread(&mut conn).await;
    }
    set_session(&mut conn, &seat.reconnection().session).await?;
    Ok(conn)
}

/// Whether the server is another one than that which was connected to at `connected_ns`.
async fn cause(conn: &mut Conn, connected_ns: u64) -> OutageCause {
    let uptime = conn
        .query_first::<(String, u64)>("SHOW GLOBAL STATUS LIKE 'Uptime'")
        .await;
    let Ok(Some((_, uptime_s))) = uptime else {
        return OutageCause::Unknown;
    };
    // The difference of two whole seconds may be up to one more or less than the time between. So a restart is missed
    // that comes within two seconds of the connection; what was none is never taken for one.
    let started_ns = now_ns().saturating_sub((uptime_s + 1) * NS_PER_S);
    if started_ns > connected_ns {
        OutageCause::Restarted
    } else {
        OutageCause::Closed
    }
}
