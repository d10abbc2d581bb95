//! The lag of logtrace's driver, as it records it, and by tracing its sends as sysbench's are.

use std::num::NonZeroUsize;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use logtrace_common::Connection;
use logtrace_driver::{Dataset, DriveConfig, Lateness, Pace, PaceRound, Requests, Target, WorkloadInfo};
use logtrace_events::Request;

use super::matching::sends_after;
use super::tracing::LagTracing;
use super::turn::{WARMUP, room};
use crate::driven::driven;
use crate::tables::{DATABASE, DATASET};

/// Results of one turn.
pub(crate) struct DriverTurn {
    /// Lag of requests, as the driver records it.
    pub(crate) recorded: Lateness,
    /// Lag of requests, as the kernel sees their sends.
    pub(crate) traced: Lateness,
}

/// Measures one turn of `workload`, whose requests have one statement.
pub(crate) fn measure(
    server: &Connection,
    workload: &'static WorkloadInfo,
    connections: NonZeroUsize,
    turn: &PaceRound,
    spin: bool,
) -> anyhow::Result<DriverTurn> {
    let config = DriveConfig {
        target: Target::new(server, DATABASE),
        session: Vec::new(),
        globals: Vec::new(),
        requests: Requests::plain(workload),
        dataset: Dataset {
            seed: turn.seed,
            ..DATASET
        },
        connections,
        pace: Pace::Open {
            rate_per_s: turn.rate_per_s,
            arrivals: turn.arrivals,
        },
        warmup: WARMUP,
        duration: turn.length,
        grace: Duration::from_secs(5),
        spin,
        reconnect_for: Duration::ZERO,
        deadline: None,
    };
    let room = room(turn.rate_per_s, (WARMUP + turn.length).as_secs_f64());
    let tracing = LagTracing::own_sends(room)?;
    let requests = Arc::new(Mutex::new(Vec::with_capacity(room)));
    let measured = driven(config, Some(keep_in(&requests)))?;
    let stamps = tracing.ended()?;
    let mut requests = requests.lock().unwrap_or_else(PoisonError::into_inner);
    requests.sort_unstable_by_key(|request| request.sent_ns);
    let notes: Vec<u64> = requests.iter().map(|request| request.sent_ns).collect();
    let sends: Vec<u64> = stamps
        .get("@sends")
        .into_iter()
        .flatten()
        .map(|stamp| stamp.at_ns)
        .collect();
    let lags = |sent_ns: &[u64]| {
        let mut lags = Lateness::new(measured.window.end_ns);
        for (request, &sent_ns) in requests.iter().zip(sent_ns) {
            lags.record(request.due_ns, sent_ns);
        }
        lags.record_missed(measured.unsent + measured.unfinished);
        lags
    };
    Ok(DriverTurn {
        recorded: lags(&notes),
        traced: lags(&sends_after(&notes, &sends)?),
    })
}

fn keep_in(requests: &Arc<Mutex<Vec<Request>>>) -> impl Fn(&Request) + Send + Sync + use<> {
    let requests = Arc::clone(requests);
    move |request| {
        requests
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .push(*request);
    }
}
