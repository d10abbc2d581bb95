//! Caveats of a run; pure.

use logtrace_common::units::count;
use logtrace_driver::{Capacity, DriveResult, EndReason, Outage, OutageCause};
use logtrace_report::document::{Caveat, CaveatKind, Document};

use crate::config::run_config::RunConfig;
use crate::document::caveats::tpcc;
use crate::document::caveats::tracing::{share, tracing_caveats};
use crate::document::failures::reasons;
use crate::outcome::run_outcome::RunOutcome;

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
    caveats.extend(none_due(measured));
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

/// Returns a caveat if the window was too short for the rate: chance alone may give it no request.
fn none_due(measured: &DriveResult) -> Option<Caveat> {
    let offered = measured.offered_per_s.filter(|_| measured.requests == 0)?;
    let window_s = measured.window.length().as_secs_f64();
    (measured.ended == EndReason::Completed).then(|| {
        CaveatKind::NoCommits.caveat(format!(
            "no request was due in the window of {window_s:.1} s at {offered:.1} requests/s, so nothing was measured: give a longer \
             --duration or a higher --rate"
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
            format!(
                "{} of {requests} requests failed: {}. {missing}",
                count(failed),
                reasons(measured)
            ),
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

    use logtrace_driver::{DISCONNECTED, FirstFailure, TIMED_OUT};

    use super::*;
    use crate::document::failures::first_errors;
    use crate::samples::{measured, run_config, run_outcome, traced_run};

    /// Returns the kinds of the caveats of requests, and whether they degrade the run, after a change.
    fn kinds(change: impl FnOnce(&mut DriveResult)) -> Vec<(CaveatKind, bool)> {
        let mut measured = measured();
        change(&mut measured);
        let caveats = driver_caveats(&measured).into_iter();
        caveats
            .map(|caveat| (caveat.kind.clone(), caveat.kind.degrades()))
            .collect()
    }

    #[test]
    fn a_run_in_which_no_request_was_due_says_so() {
        let nothing = |measured: &mut DriveResult| {
            (measured.requests, measured.done, measured.offered_per_s) = (0, 0, Some(0.5));
        };
        assert_eq!(kinds(nothing), [(CaveatKind::NoCommits, false)]);
        let interrupted = kinds(|measured| {
            nothing(measured);
            measured.ended = EndReason::Interrupted;
        });
        assert!(
            !interrupted.contains(&(CaveatKind::NoCommits, false)),
            "{interrupted:?}"
        );
        let mut measured = measured();
        nothing(&mut measured);
        let text = &none_due(&measured).unwrap().text;
        assert!(text.contains("window of 1.0 s at 0.5 requests/s"), "{text}");
    }

    #[test]
    fn failed_requests_say_code_text_and_statement_the_most_frequent_first() {
        let mut measured = measured();
        measured.errors = BTreeMap::from([(1146, 3), (DISCONNECTED, 5), (1, 1), (2, 1), (TIMED_OUT, 2)]);
        let failure = |text: &str, statement: Option<&str>| FirstFailure {
            at_ns: 0,
            text: text.to_owned(),
            statement: statement.map(str::to_owned),
        };
        measured.failures = BTreeMap::from([
            (
                1146,
                failure("Table 'x.y' doesn't exist", Some("SELECT ? FROM y")),
            ),
            (DISCONNECTED, failure("broken pipe", None)),
        ]);
        let caveats = driver_caveats(&measured);
        let expected = "12 of 1,000 requests failed: 5 lost their connection (broken pipe); 3 with error 1146 (Table 'x.y' \
                        doesn't exist at: SELECT ? FROM y); 2 took longer than --deadline; 2 more codes are in run.json. ";
        assert!(caveats[0].text.starts_with(expected), "{}", caveats[0].text);
        let first = first_errors(&measured);
        assert_eq!(first.keys().collect::<Vec<_>>(), ["1146", "disconnected"]);
        assert_eq!(first["1146"].statement.as_deref(), Some("SELECT ? FROM y"));
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
        assert_eq!(late, [(CaveatKind::LateGenerator, true)]);
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
        assert_eq!(caveat.kind, CaveatKind::CapacityFell);
        assert!(
            caveat.text.contains("all 5 parts") && caveat.text.contains("from 500.0/s to 50.0/s"),
            "{}",
            caveat.text
        );
        assert!(!caveat.kind.degrades());
        capacity.lasts = true;
        assert_eq!(capacity_fell(&capacity), None);
    }

    fn lost(end_ns: Option<u64>, cause: OutageCause) -> String {
        let outage = Outage {
            start_ns: 1_250_000_000,
            end_ns,
            connections: 8,
            back: end_ns.map_or(0, |_| 7),
            cause,
        };
        connections_lost(&outage, &measured()).text
    }

    #[test]
    fn lost_connections_come_with_their_time_their_end_and_their_cause() {
        let text = lost(Some(2_000_000_000), OutageCause::Restarted);
        for words in [
            "8 connections were lost 0.250 s after the start of the window",
            "7 were opened again, the last one after 0.750 s",
            "the server was restarted",
        ] {
            assert!(text.contains(words), "{text}");
        }
        let text = lost(None, OutageCause::Closed);
        assert!(
            text.contains("none was opened again; the server kept running"),
            "{text}"
        );
        assert!(lost(None, OutageCause::Unknown).ends_with("the cause is unknown"));
    }

    #[test]
    fn a_run_of_a_remote_server_is_told_what_else_to_record() {
        assert!(remote_server(false).contains("give this run --record, and put both together"));
        assert!(!remote_server(true).contains("give this run"));
    }

    #[test]
    fn the_caveats_of_a_lost_server_come_before_those_of_its_trace_and_of_the_end() {
        let mut raw = run_outcome();
        let driven = raw.measured.as_mut().unwrap();
        driven.ended = EndReason::ServerGone;
        driven.errors = BTreeMap::from([(1213, 5)]);
        driven.unfinished = 3;
        driven.outages = vec![Outage {
            start_ns: 1_500_000_000,
            end_ns: None,
            connections: 8,
            back: 0,
            cause: OutageCause::Unknown,
        }];
        raw.checked.run = Some(Err("no server".to_owned()));
        raw.snapshot.traced.as_mut().unwrap().account.losses.lost = 1;
        raw.not_saved = vec!["latency.hlog: no space".to_owned()];
        raw.disk_full = true;
        raw.teardown_error = Some("the server ended during the run".to_owned());
        let caveats = caveats(&run_config("update_key"), &raw, &traced_run());
        let kinds: Vec<CaveatKind> = caveats.iter().map(|caveat| caveat.kind.clone()).collect();
        let expected = [
            CaveatKind::ServerDied,
            CaveatKind::ConnectionsLost,
            CaveatKind::Errors,
            CaveatKind::Unfinished,
            CaveatKind::Unchecked,
            CaveatKind::LostRecords,
            CaveatKind::Recording,
            CaveatKind::DiskFull,
            CaveatKind::NotGivenBack,
        ];
        assert_eq!(kinds, expected);
        assert!(caveats[6].text.contains("incomplete: latency.hlog: no space"));
    }
}
