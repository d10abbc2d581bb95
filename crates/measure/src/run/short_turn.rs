//! Short turn of a load on a server that keeps running: requests only, without a trace and without files.

use std::io;
use std::sync::{Arc, mpsc};
use std::time::Duration;

use anyhow::{Context, bail};
use logtrace_common::TimeRange;
use logtrace_driver::tpcc::TransactionType;
use logtrace_driver::{DriveResult, EndReason, drive};
use logtrace_events::Request;

use crate::config::run_config::{Pacing, RunConfig};
use crate::measurement::{Interrupted, Signals};
use crate::run::load::drive::{drive_config, on_own_thread};
use crate::run::server::open_server::OpenServer;

/// Load of a short turn.
#[derive(Debug)]
pub struct TurnLoad {
    /// Requests of the turn and of its wash-in.
    pub requests: Vec<Request>,
    /// Turn, without its wash-in.
    pub turn: TimeRange,
    /// Share of the requests that count for NOPM, for the TPC-C-like workload.
    pub new_orders: Option<f64>,
}

/// Drives the load of a run for a wash-in and a turn of these lengths. Requests go on from one into the other: a load that
/// pauses in between would have to fill its connections again.
pub async fn short_turn(
    config: &RunConfig,
    opened: &OpenServer,
    (wash_in, length): (Duration, Duration),
    signals: &Signals,
) -> anyhow::Result<TurnLoad> {
    let (pace, connections) = match &config.pacing {
        Pacing::Known(pace) => (pace.clone(), config.connections_of(pace, opened.server.facts())),
        Pacing::Share(..) => bail!("a short turn needs a rate that does not depend on the server"),
    };
    let mut drive_config = drive_config(config, &opened.target, pace, connections);
    (drive_config.warmup, drive_config.duration) = (Duration::ZERO, wash_in + length);
    let (finished, requests) = mpsc::channel();
    let cancel = signals.end.child_token();
    let driving = on_own_thread(move || {
        let outputs = logtrace_driver::DriveOutputs {
            log: &mut io::sink(),
            watch: &mut (),
            observer: Some(Arc::new(move |request: &Request| {
                // The receiver is gone if the study was aborted.
                let _ = finished.send(*request);
            })),
            cancel,
        };
        drive(&drive_config, outputs)
    });
    let result = driving.await?;
    if signals.end.is_cancelled() {
        return Err(Interrupted::Early.into());
    }
    let result = result?;
    if result.ended != EndReason::Completed {
        bail!("the server ended during a short turn: its log may tell the reason");
    }
    let wash_in_ns = u64::try_from(wash_in.as_nanos()).context("the wash-in is too long")?;
    let window = result.window;
    Ok(TurnLoad {
        requests: requests.try_iter().collect(),
        turn: TimeRange::new(window.start_ns.saturating_add(wash_in_ns), window.end_ns),
        new_orders: config.requests.tpcc().and_then(|_| new_orders(&result)),
    })
}

/// Returns the share of the requests of a load that are new orders and were not rolled back.
fn new_orders(result: &DriveResult) -> Option<f64> {
    let orders = result.kinds.get(TransactionType::NewOrder as usize)?;
    let all: u64 = result.kinds.iter().map(|kind| kind.done_in_window).sum();
    let counted = orders.done_in_window - orders.rolled_back_in_window;
    (all > 0).then(|| counted as f64 / all as f64)
}
