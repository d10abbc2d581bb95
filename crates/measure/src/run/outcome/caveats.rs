//! Caveats of a run; pure.

use logtrace_common::units::count;
use logtrace_driver::{Capacity, DriveResult, EndReason, Outage, OutageCause};
use logtrace_report::document::{Caveat, Document};

use crate::measurement::caveat::{CaveatKind, share, tracing_caveats};
use crate::run::config::RunConfig;
use crate::run::outcome::run_outcome::RunOutcome;
use crate::run::outcome::tpcc;

/// Largest share of requests that the driver may send late through its own fault.
const LATE_SHARE: f64 = 0.05;

/// Largest share of requests that may wait for a connection when the window ends: chance alone lets a few wait.
const BACKLOG_SHARE: f64 = 0.01;

/// Returns the consequence of a server on another machine, and its remedy.
pub fn remote_server(is_recorded: bool) -> String {
    let recorded = if is_recorded {
        ""
    } else {
        "give this run --record, "
    };
    format!(
        "the server is on another machine, so this run is not traced. For the causes of its commits run \
         `logtrace trace --record` on that machine meanwhile, {recorded}and put both together with `logtrace join`"
    )
}

/// Returns all caveats of a run.
pub(crate) fn caveats(config: &RunConfig, raw: &RunOutcome, document: &Document) -> Vec<Caveat> {
    let mut caveats: Vec<Caveat> = raw
        .capacity
        .as_ref()
        .and_then(capacity_fell)
        .into_iter()
        .collect();
    if let Some(measured) = &raw.measured {
        caveats.extend(driver_caveats(measured));
    }
    if raw.snapshot.server.is_remote() {
        caveats.push(CaveatKind::RemoteServer.caveat(remote_server(config.tracing.record)));
    }
    caveats.extend(tpcc::caveats(raw));
    caveats.extend(tracing_caveats(raw.snapshot.traced.as_ref(), document));
    for error in &raw.not_saved {
        caveats.push(CaveatKind::Recording.caveat(format!("a file of the load is incomplete: {error}")));
    }
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
    caveats.extend(late_generator(measured));
    caveats.extend(backlog(measured));
    caveats.extend(waiting_for_connections(measured));
    caveats.extend(unanswered(measured));
    caveats
}

/// Returns a caveat if no part of the capacity's measurement was about as fast as the part before.
fn capacity_fell(capacity: &Capacity) -> Option<Caveat> {
    let [first, .., last] = *capacity.parts_per_s else {
        return None;
    };
    (!capacity.lasts).then(|| {
        CaveatKind::CapacityFell.caveat(format!(
            "the capacity, of which the rate is a share, fell through all {} parts of its measurement, from {first:.1}/s \
             to {last:.1}/s: the server may be slower still in a longer run. Choose an absolute rate (--rate)",
            capacity.parts_per_s.len()
        ))
    })
}

/// Returns a caveat if the pacer sent many requests late.
fn late_generator(measured: &DriveResult) -> Option<Caveat> {
    let late = measured.lag_parts.late_by_pacer;
    (share(late, measured.requests) > LATE_SHARE).then(|| {
        CaveatKind::LateGenerator.caveat(format!(
            "{} of {} requests were sent more than 1 ms late although a connection was free: this machine was too busy \
             to hold the rate",
            count(late),
            count(measured.requests)
        ))
    })
}

/// Returns a caveat if many requests waited for a connection when the window ended.
fn backlog(measured: &DriveResult) -> Option<Caveat> {
    (share(measured.backlog_end, measured.requests) > BACKLOG_SHARE).then(|| {
        CaveatKind::Backlog.caveat(format!(
            "the server was too slow for the rate: {} requests waited for a connection at the end of the window (at \
             most {} during it)",
            count(measured.backlog_end),
            count(measured.backlog_max)
        ))
    })
}

/// Returns caveats for requests that failed, were never sent, or had no answer, and for a warm-up that stalled.
fn unanswered(measured: &DriveResult) -> Vec<Caveat> {
    let failed: u64 = measured.errors.values().sum();
    let requests = count(measured.requests);
    let missing = "The percentiles are those of successful requests; the row \"with failed\" has all of them";
    let caveats = [
        (
            failed,
            CaveatKind::Errors,
            format!("{} of {requests} requests failed. {missing}", count(failed)),
        ),
        (
            measured.unsent,
            CaveatKind::Unsent,
            format!(
                "{} of {requests} requests were due and never sent. {missing}",
                count(measured.unsent)
            ),
        ),
        (
            measured.unfinished,
            CaveatKind::Unfinished,
            format!(
                "{} requests had no answer when the run ended. {missing}",
                count(measured.unfinished)
            ),
        ),
        (
            measured.from_warmup,
            CaveatKind::StallInWarmup,
            format!(
                "{} requests of the warm-up still ran 1 s after its end: the window began with them",
                count(measured.from_warmup)
            ),
        ),
    ];
    let found = caveats.into_iter().filter(|(number, ..)| *number > 0);
    found.map(|(_, kind, text)| kind.caveat(text)).collect()
}

/// Returns a caveat if the requests waited longer for a free connection than for the server.
fn waiting_for_connections(measured: &DriveResult) -> Option<Caveat> {
    let (wait_ns, service_ns) = (measured.lag_parts.connection.mean(), measured.service.mean());
    (wait_ns > service_ns).then(|| {
        let text = format!(
            "requests waited {:.2} ms on average until a connection was free, and {:.2} ms for the server: most of the \
             response time is a queue of the client. More --connections let the server see these requests; a lower \
             --rate leaves it time to catch up after a stall",
            wait_ns / 1e6,
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

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use logtrace_common::TimeRange;
    use logtrace_driver::{Histogram, LagParts, RequestsOverTime};

    use super::*;
    use crate::measurement::caveat::is_degrading;

    /// Returns 1000 requests that were done.
    fn measured() -> DriveResult {
        let times = || Histogram::new(3).unwrap();
        DriveResult {
            window: TimeRange::new(0, 1_000_000_000),
            offered_per_s: Some(1_000.0),
            achieved_per_s: 1_000.0,
            requests: 1_000,
            from_warmup: 0,
            done: 1_000,
            errors: BTreeMap::new(),
            retries: BTreeMap::new(),
            late: 0,
            queued: 0,
            unsent: 0,
            unfinished: 0,
            backlog_max: 0,
            backlog_end: 0,
            lag: times(),
            service: times(),
            lag_parts: LagParts::default(),
            response: times(),
            response_with_failed: times(),
            steps: Vec::new(),
            retrying: times(),
            per_second: vec![1_000],
            per_tenth: vec![100; 10],
            over_time: RequestsOverTime::new(0),
            kinds: Vec::new(),
            orders_grown: None,
            outages: Vec::new(),
            ended: EndReason::Completed,
            client_cpu_ns: 0,
        }
    }

    /// Returns the kinds of the caveats of requests, and whether they degrade the run, after a change.
    fn kinds(change: impl FnOnce(&mut DriveResult)) -> Vec<(String, bool)> {
        let mut measured = measured();
        change(&mut measured);
        let caveats = driver_caveats(&measured).into_iter();
        caveats
            .map(|caveat| (caveat.kind.clone(), is_degrading(&caveat)))
            .collect()
    }

    #[test]
    fn a_request_that_failed_was_not_sent_or_has_no_answer_degrades_the_run() {
        assert_eq!(kinds(|_| {}), []);
        let degrading = |kind: &str| [(kind.to_owned(), true)];
        let failed = kinds(|measured| measured.errors = BTreeMap::from([(1213, 1)]));
        assert_eq!(failed, degrading("errors"));
        assert_eq!(kinds(|measured| measured.unsent = 1), degrading("unsent"));
        assert_eq!(kinds(|measured| measured.unfinished = 1), degrading("unfinished"));
    }

    #[test]
    fn only_the_pacers_part_of_the_lag_is_the_generators() {
        let waited = kinds(|measured| (measured.late, measured.queued) = (900, 900));
        assert_eq!(waited, []);
        // As many requests queue: they hide nothing.
        let late = kinds(|measured| {
            (measured.late, measured.queued) = (60, 900);
            measured.lag_parts.late_by_pacer = 60;
        });
        assert_eq!(late, [("late_generator".to_owned(), true)]);
        assert_eq!(kinds(|measured| measured.lag_parts.late_by_pacer = 40), []);
    }

    #[test]
    fn a_capacity_that_falls_through_all_parts_is_a_caveat() {
        let mut capacity = Capacity {
            per_s: 50.0,
            parts_per_s: vec![500.0, 400.0, 200.0, 100.0, 50.0],
            lasts: false,
        };
        let caveat = capacity_fell(&capacity).unwrap();
        assert_eq!(caveat.kind, "capacity_fell");
        assert!(
            caveat.text.contains("all 5 parts") && caveat.text.contains("from 500.0/s to 50.0/s"),
            "{}",
            caveat.text
        );
        assert!(!is_degrading(&caveat));
        capacity.lasts = true;
        assert_eq!(capacity_fell(&capacity), None);
    }
}
