//! Connecting, and reconnecting after a connection is lost.

use std::iter::successors;
use std::time::Duration;

use tokio::time::{Instant, sleep};

use crate::client::Conn;
use crate::client::server_thread::server_thread;
use crate::client::session_check::{set_session, set_up};
use crate::client::thread_numbers::number_here;
use crate::engine::shard_state::{ConnectionSlot, DriveState};
use crate::error::DriveError;
use crate::results::outages::OutageCause;
use crate::util::clock::{NS_PER_S, now_ns};
use crate::workloads::WorkloadConnection;

/// Shortest and longest pause between attempts to connect.
const FIRST: Duration = Duration::from_millis(10);
const LONGEST: Duration = Duration::from_secs(1);

/// Reconnects and prepares the workload again, with growing pauses between attempts. Returns `None` when the time for
/// reconnecting is over.
///
/// A connection that was `given_up` after a deadline counts as lost only if the server refuses another connection. A
/// server that accepts a connection but does not answer is stopped and may go on: it is waited for without limit.
pub(crate) async fn reconnect<W: WorkloadConnection>(
    slot: &mut ConnectionSlot,
    content: &W::Content,
    given_up: bool,
) -> Option<(W, Conn)> {
    let lost_connection_ns = slot.connected_ns;
    let drive = slot.state.drive.clone();
    let until = Instant::now() + drive.config.reconnect_for;
    let mut is_lost = !given_up;
    if is_lost {
        drive.outages().lost(now_ns());
    }
    for pause in pauses(slot.context.connection) {
        if let Some((workload, mut conn)) = attempt(slot, content).await {
            if is_lost {
                let cause = cause(&mut conn, lost_connection_ns).await;
                drive.outages().back(now_ns(), cause);
            }
            return Some((workload, conn));
        }
        if !std::mem::replace(&mut is_lost, true) {
            drive.outages().lost(now_ns());
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

/// Returns the pauses of the connection with this number. They double from 10 ms to 1 s. Each connection waits for a
/// different share of them, from 0.5 to 1, so that not all of them reach a server that has just started at once.
fn pauses(number: usize) -> impl Iterator<Item = Duration> {
    // Multiples of the golden ratio spread evenly, however many there are.
    let share = 0.5 + (number as f64 * 0.618_033_988_749_895).fract() / 2.0;
    let doubling = successors(Some(FIRST), |&pause| Some(LONGEST.min(pause * 2)));
    doubling.map(move |pause| pause.mul_f64(share))
}

/// Tries once to connect and prepare. The error does not matter, because the next attempt may succeed.
async fn attempt<W: WorkloadConnection>(
    slot: &mut ConnectionSlot,
    content: &W::Content,
) -> Option<(W, Conn)> {
    let mut conn = connect(slot).await.ok()?;
    let workload = W::prepare(&mut conn, content, &slot.context).await.ok()?;
    Some((workload, conn))
}

/// Connects a slot. If requests are observed, also finds out which thread of the server serves the connection.
pub(crate) async fn connect(slot: &mut ConnectionSlot) -> Result<Conn, DriveError> {
    let DriveState { config, observer, .. } = slot.state.drive.clone();
    let target = &config.target;
    let mut conn = Conn::connect(&target.connection, Some(&target.database)).await?;
    slot.connected_ns = now_ns();
    set_up(
        &mut conn,
        &target.connection,
        config.requests.session(),
        &config.globals,
    )
    .await?;
    if observer.is_some() {
        let thread = server_thread(&mut conn).await;
        slot.thread = thread.and_then(|thread| number_here(target.process.as_deref(), thread));
    }
    set_session(&mut conn, &config.session).await?;
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_double_up_to_a_second_and_differ_by_connection() {
        let first: Vec<Duration> = pauses(0).take(9).collect();
        assert_eq!(first[0], Duration::from_millis(5));
        assert!(first.windows(2).all(|pair| pair[1] >= pair[0]) && first[8] == LONGEST / 2);
        let seventh: Vec<Duration> = (1..64).filter_map(|number| pauses(number).nth(6)).collect();
        assert!(
            seventh
                .iter()
                .all(|pause| (LONGEST.mul_f64(0.32)..LONGEST).contains(pause))
        );
        let mut sorted = seventh.clone();
        sorted.sort();
        sorted.dedup();
        assert_eq!(sorted.len(), seventh.len());
    }
}
