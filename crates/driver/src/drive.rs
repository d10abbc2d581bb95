//! One drive from the first connection to the last answer.

use std::io::{self, Write};
use std::rc::Rc;
use std::time::Duration;

use thiserror::Error;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use crate::clock::{NS_PER_S, now_ns};
use crate::config::DriveConfig;
use crate::dataset::DatasetError;
use crate::floor::{Floor, Observer};
use crate::measured::{Ended, Measured};
use crate::pacer::{Pacer, Rest};
use crate::rate::MOST_PER_S;
use crate::reconnect::{Reconnection, connect};
use crate::runtime::{RuntimeError, on_this_thread};
use crate::session::Session;
use crate::session_variable::SessionVariable;
use crate::stages::{measure, warm_up};
use crate::target::ConnectError;
use crate::tpcc;
use crate::watch::Watch;

/// Where a drive leaves what it has as it goes, and who may stop it.
pub struct Outputs<'a> {
    /// Gets the `HdrHistogram` interval log, one interval a second, flushed after each.
    pub log: &'a mut dyn Write,
    /// Follows the drive.
    pub watch: &'a mut dyn Watch,
    /// Gets each finished request of the window.
    pub observer: Option<Observer>,
    /// Ends the window early; what was measured until then is returned.
    pub cancel: CancellationToken,
}

/// Why nothing was measured.
#[derive(Debug, Error)]
pub enum DriveError {
    /// No event loop.
    #[error(transparent)]
    Runtime(#[from] RuntimeError),
    /// No server.
    #[error(transparent)]
    Connect(#[from] ConnectError),
    /// No such tables.
    #[error(transparent)]
    Dataset(#[from] DatasetError),
    /// No requests would ever be due, or more than can be sent.
    #[error("a rate of {0} requests a second cannot be offered: give one above 0, and of at most 1,000,000")]
    Rate(f64),
    /// The server refused a session variable.
    #[error("cannot set {variable} for the session of a connection: {source}")]
    Session {
        /// The variable and its value.
        variable: SessionVariable,
        /// What the server said.
        source: mysql_async::Error,
    },
    /// The server refused the workload's statements.
    #[error("cannot prepare the workload {workload}: {source}. Are its tables loaded?")]
    Prepare {
        /// The workload's name.
        workload: String,
        /// What the server said.
        source: mysql_async::Error,
    },
    /// The timer failed.
    #[error("cannot wait for the next due time: {0}")]
    Timer(io::Error),
    /// The interval log could not be written.
    #[error("cannot write the latency log: {0}")]
    Log(io::Error),
    /// Cancelled before the window.
    #[error("cancelled before anything was measured")]
    Cancelled,
    /// Every connection broke before the window.
    #[error("the server closed every connection during the warm-up: see its error log")]
    GoneInWarmup,
    /// The warm-up does not end.
    #[error(
        "{running} requests of the warm-up had no answer after {grace:?}: is the server stopped or overloaded?"
    )]
    StuckInWarmup {
        /// Requests without an answer.
        running: u64,
        /// How long they were waited for.
        grace: Duration,
    },
    /// A capacity of nothing.
    #[error("the server did no request at all in {0:?}: there is no capacity to take a share of")]
    NoCapacity(Duration),
}

/// Longest wait for the server to see the connections end.
const GOODBYE_NS: u64 = NS_PER_S;

/// Connects, prepares, warms up, and measures.
///
/// Blocks the calling thread, which does all the pacing, sending and recording: give it a thread of its own.
pub fn drive(config: &DriveConfig, outputs: Outputs<'_>) -> Result<Measured, DriveError> {
    check(config)?;
    on_this_thread(drive_here(config, outputs))?
}

/// The server's own count of orders, where the workload has some; a server that hangs does not tell it.
async fn order_ids(config: &DriveConfig) -> Option<u64> {
    config.requests.tpcc()?;
    let told = tokio::time::timeout(config.grace, tpcc::order_ids(&config.target));
    told.await.ok()?
}

fn check(config: &DriveConfig) -> Result<(), DriveError> {
    config.dataset.check()?;
    match config.pace.offered_per_s(config.duration) {
        Some(rate) if !(rate > 0.0 && rate <= MOST_PER_S) => Err(DriveError::Rate(rate)),
        _ => Ok(()),
    }
}

async fn drive_here(config: &DriveConfig, outputs: Outputs<'_>) -> Result<Measured, DriveError> {
    let reconnection = Reconnection {
        target: config.target.clone(),
        session: config.session.clone(),
        patience: config.reconnect_for,
        observed: outputs.observer.is_some(),
    };
    let floor = Floor::new(config.connections.get(), reconnection);
    let mut connections = tokio::select! {
        seated = seat_all(config, &floor) => seated?,
        () = outputs.cancel.cancelled() => return Err(DriveError::Cancelled),
    };
    let rest = if config.spin { Rest::OnCpu } else { Rest::Asleep };
    let mut session = Session {
        floor,
        pacer: Pacer::new(rest).map_err(DriveError::Timer)?,
        watch: outputs.watch,
        cancel: outputs.cancel,
    };
    warm_up(config, &mut session).await?;
    *session.floor.observer.borrow_mut() = outputs.observer;
    let before = order_ids(config).await;
    let mut measured = measure(config, &mut session, outputs.log).await?;
    if let Some(before) = before
        && measured.ended != Ended::ServerGone
    {
        measured.orders_grown = order_ids(config)
            .await
            .and_then(|after| after.checked_sub(before));
    }
    session.floor.board.borrow_mut().close();
    tokio::select! {
        () = async { while connections.join_next().await.is_some() {} } => {}
        waited = session.pacer.until(now_ns() + GOODBYE_NS) => waited.map_err(DriveError::Timer)?,
    }
    // A connection that is still busy now ends with the set that holds it.
    Ok(measured)
}

/// Connects and prepares all, and then lets them wait for requests.
async fn seat_all(config: &DriveConfig, floor: &Rc<Floor>) -> Result<JoinSet<()>, DriveError> {
    let mut servings = Vec::new();
    for number in 0..config.connections.get() {
        let mut seat = floor.seat(number, config);
        let conn = connect(&mut seat).await?;
        let serving = config.requests.prepare(conn, seat).await;
        servings.push(serving.map_err(|source| DriveError::Prepare {
            workload: config.requests.name().to_owned(),
            source,
        })?);
    }
    let mut connections = JoinSet::new();
    for serving in servings {
        connections.spawn_local(serving);
    }
    Ok(connections)
}
