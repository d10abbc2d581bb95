//! Caveats of a run; pure.

use logtrace_driver::{DriveResult, EndReason, Outage, OutageCause};
use logtrace_report::document::{Caveat, Document};

use crate::measurement::caveat::{CaveatKind, share, tracing_caveats};
use crate::run::outcome::run_outcome::RunOutcome;
use crate::run::outcome::tpcc;

/// Largest share of requests that the driver may send late through its own fault.
const LATE_SHARE: f64 = 0.05;

/// Smallest share of requests that find no free connection for which lag means waiting for connections.
const WAITING_SHARE: f64 = 0.1;

/// Largest share of requests that may wait for a connection when the window ends: chance alone lets a few wait.
const BACKLOG_SHARE: f64 = 0.01;

/// Returns all caveats of a run.
pub(crate) fn caveats(raw: &RunOutcome, document: &Document) -> Vec<Caveat> {
    let mut caveats = Vec::new();
    if let Some(measured) = &raw.measured {
        caveats.extend(driver_caveats(measured));
    }
    caveats.extend(tpcc::caveats(raw));
    caveats.extend(tracing_caveats(raw.snapshot.traced.as_ref(), document));
    if raw.disk_full {
        caveats.push(CaveatKind::DiskFull.caveat("the disk of the server's data is full"));
    }
    caveats.extend(
        raw.teardown_error
            .iter()
            .map(|text| CaveatKind::NotGivenBack.caveat(text)),
    );
    caveats
}

fn driver_caveats(measured: &DriveResult) -> Vec<Caveat> {
    let mut caveats = Vec::new();
    match measured.ended {
        EndReason::Completed => {}
        EndReason::Interrupted => {
            caveats.push(CaveatKind::Interrupted.caveat("a signal ended the run early"));
        }
        EndReason::ServerGone => caveats.push(
            CaveatKind::ServerDied.caveat("the server ended during the run: its log may tell the reason"),
        ),
    }
    caveats.extend(
        measured
            .outages
            .iter()
            .map(|outage| connections_lost(outage, measured)),
    );
    let late = measured.late.saturating_sub(measured.queued);
    if share(late, measured.requests) > LATE_SHARE {
        caveats.push(CaveatKind::LateGenerator.caveat(format!(
            "{late} of {} requests were sent more than 1 ms late although a connection was free: this machine was too \
             busy to hold the rate",
            measured.requests
        )));
    }
    if share(measured.backlog_end, measured.requests) > BACKLOG_SHARE || measured.unsent > 0 {
        caveats.push(CaveatKind::Backlog.caveat(format!(
            "the server was too slow for the rate: {} requests waited for a connection at the end of the window (at \
             most {} during it), and {} were never sent",
            measured.backlog_end, measured.backlog_max, measured.unsent
        )));
    }
    caveats.extend(waiting_for_connections(measured));
    if measured.unfinished > 0 {
        caveats.push(CaveatKind::Unfinished.caveat(format!(
            "{} requests had no answer when the run ended",
            measured.unfinished
        )));
    }
    caveats
}

/// Returns a caveat if the requests waited longer for a free connection than for the server.
fn waiting_for_connections(measured: &DriveResult) -> Option<Caveat> {
    let (lag_ns, service_ns) = (measured.lag.mean(), measured.service.mean());
    let is_by_connections = share(measured.queued, measured.requests) > WAITING_SHARE;
    (lag_ns > service_ns && is_by_connections).then(|| {
        let text = format!(
            "requests waited {:.2} ms on average until a connection was free, and {:.2} ms for the server: most of the \
             response time is a queue of the client. More --connections let the server see these requests; a lower \
             --rate leaves it time to catch up after a stall",
            lag_ns / 1e6,
            service_ns / 1e6
        );
        CaveatKind::WaitingForConnections.caveat(text)
    })
}

fn connections_lost(outage: &Outage, measured: &DriveResult) -> Caveat {
    let after_ns = outage.start_ns.saturating_sub(measured.window.start_ns);
    let Outage {
        connections, back, ..
    } = outage;
    let until = match outage.end_ns {
        Some(end_ns) => format!(
            "{back} were opened again, the last one after {:.3} s",
            (end_ns - outage.start_ns) as f64 / 1e9
        ),
        None => "none was opened again".into(),
    };
    let cause = match outage.cause {
        OutageCause::Restarted => {
            "the server was restarted. Later commits are not traced, and the server has the settings of its start"
        }
        OutageCause::Closed => "the server kept running: it closed the connections",
        OutageCause::Unknown => "the cause is unknown",
    };
    CaveatKind::ConnectionsLost.caveat(format!(
        "{connections} connections were lost {:.3} s after the start of the window; {until}; {cause}",
        after_ns as f64 / 1e9
    ))
}
