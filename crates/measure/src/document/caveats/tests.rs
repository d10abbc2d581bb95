//! Each kind of caveat: an input that gives it, and one just under its bound.

use std::collections::BTreeMap;
use std::io;
use std::time::Duration;

use logtrace_attribution::breakdown::{Breakdown, CauseRow, Gaps, Response};
use logtrace_attribution::cause::{Cause, Wait};
use logtrace_driver::tpcc::CheckedCondition;
use logtrace_driver::{Capacity, DriveResult, EndReason, Kind, Outage, OutageCause};
use logtrace_report::document::{CaveatKind, Document, Join};
use strum::IntoEnumIterator;

use crate::document::join_parts::Parts;
use crate::document::unfinished::unfinished;
use crate::document::{join, run, trace};
use crate::measurement::Traced;
use crate::outcome::run_outcome::RunOutcome;
use crate::outcome::trace_outcome::{Ended, TraceOutcome};
use crate::samples::{
    STARTED, explained, measured, recording, run_config, run_outcome, times, trace_config, trace_document,
    trace_outcome, untraced_run,
};

/// Returns the document of a traced run, after a change of its outcome.
fn of_run(change: impl FnOnce(&mut RunOutcome)) -> Document {
    let mut outcome = run_outcome();
    change(&mut outcome);
    run::results(&run_config("update_key"), STARTED, outcome).document
}

/// Returns the document of a run, after a change of what its driver measured.
fn of_load(change: impl FnOnce(&mut DriveResult)) -> Document {
    let mut measured = measured();
    change(&mut measured);
    of_run(|outcome| outcome.measured = Some(measured))
}

/// Returns the document of a run, after a change of its trace.
fn of_tracer(change: impl FnOnce(&mut Traced)) -> Document {
    of_run(|outcome| change(outcome.snapshot.traced.as_mut().unwrap()))
}

/// Returns the document of a run, after a change of the totals of its trace.
fn of_breakdown(change: impl FnOnce(&mut Breakdown)) -> Document {
    of_tracer(|traced| change(&mut traced.explained.breakdown))
}

/// Returns the document of a trace of a minute, after a change of its outcome.
fn of_trace(change: impl FnOnce(&mut TraceOutcome)) -> Document {
    let mut outcome = trace_outcome();
    change(&mut outcome);
    trace::results(&trace_config(Some(Duration::from_secs(60))), STARTED, outcome).document
}

/// Returns the document of a join whose trace misses so many nanoseconds.
fn of_join(missed_ns: u64) -> Document {
    let parts = Parts {
        run: &untraced_run(),
        trace: &trace_document(),
        explained: &explained(&recording()),
        missed_ns,
    };
    join::document(&parts, clocks())
}

fn clocks() -> Join {
    Join {
        trace_started: STARTED.to_owned(),
        offset: 0,
        drift_ppm: 0.0,
        error: 0,
        requests: 0,
        matched: 0,
    }
}

/// Makes this part of the commit time one without a cause.
fn unexplain(breakdown: &mut Breakdown, per_mille: u64) {
    let row = |cause, total| CauseRow {
        cause,
        total,
        commits: 1,
        slowest: 0,
    };
    let explained = row(breakdown.causes[0].cause, 1_000 - per_mille);
    breakdown.causes = vec![explained, row(Cause::UNEXPLAINED, per_mille)];
    breakdown.commits.total = 1_000;
}

/// Makes a trace one in bursts of a tenth of the time, which show this part of the time of the requests.
fn trace_in_bursts(traced: &mut Traced, percent: u64) {
    traced.sampling = "10%".parse().unwrap();
    traced.explained.breakdown.gaps = Some(Gaps {
        count: 9,
        untraced: 900_000_000,
        traced: 100_000_000,
    });
    // The requests take a second in all, of which a tenth is in bursts.
    traced.explained.breakdown.response = Response {
        requests: 1,
        total: 1_000_000 * percent,
        ..Response::default()
    };
}

fn conditions(violations: u64) -> Vec<CheckedCondition> {
    vec![CheckedCondition {
        number: 1,
        text: "rows add up",
        violations,
    }]
}

fn outage() -> Outage {
    Outage {
        start_ns: 1_500_000_000,
        end_ns: Some(1_600_000_000),
        connections: 1,
        back: 1,
        cause: OutageCause::Closed,
    }
}

/// Notes that the driver counted ten new orders, and the server so many.
fn order(measured: &mut DriveResult, grown: u64) {
    measured.kinds = vec![Kind {
        done: 10,
        ..Kind::default()
    }];
    measured.orders_grown = Some(grown);
}

fn capacity(lasts: bool) -> Capacity {
    Capacity {
        per_s: 50.0,
        parts_per_s: vec![100.0, 50.0],
        lasts,
    }
}

/// Returns two documents: one with a caveat of this kind alone, and one of an input that is just under its bound. `None` for a
/// kind that this version does not make.
fn cases(kind: &CaveatKind) -> Option<[Document; 2]> {
    use CaveatKind as K;
    let load = |change: fn(&mut DriveResult, u64), [given, under]: [u64; 2]| {
        [given, under].map(|number| of_load(|measured| change(measured, number)))
    };
    let run = |change: fn(&mut RunOutcome, bool)| [true, false].map(|is| of_run(|raw| change(raw, is)));
    let tracer = |change: fn(&mut Traced, u64), [given, under]: [u64; 2]| {
        [given, under].map(|number| of_tracer(|traced| change(traced, number)))
    };
    Some(match kind {
        // At most one request in a hundred.
        K::Backlog => load(|measured, requests| measured.backlog_end = requests, [11, 10]),
        K::CommitsUnderWay => tracer(
            |traced, open| traced.open_commits = usize::from(open == 1),
            [1, 0],
        ),
        K::CapacityFell => run(|raw, fell| raw.capacity = Some(capacity(!fell))),
        K::ConnectionsLost => load(
            |measured, lost| measured.outages = vec![outage(); usize::from(lost == 1)],
            [1, 0],
        ),
        K::Contradictions => [Wait::Client, Wait::SemisyncAck]
            .map(|wait| of_breakdown(|breakdown| breakdown.causes[0].cause = Cause::own(wait))),
        // The shares of a machine's CPUs cannot be set; their bound is tested beside them.
        K::CpuTaken => return None,
        // At least half of the time of the requests; a histogram knows it to a thousandth.
        K::CutByBursts => tracer(trace_in_bursts, [49, 51]),
        K::DiskFull => run(|raw, is_full| raw.disk_full = is_full),
        K::Errors => load(
            |measured, failed| measured.errors = BTreeMap::from([(1213, failed)]),
            [1, 0],
        ),
        K::FileErrors => [1, 0].map(|errors| of_breakdown(|breakdown| breakdown.files[0].errors = errors)),
        K::Inconsistent => run(|raw, is_broken| raw.checked.run = Some(Ok(conditions(is_broken.into())))),
        K::Interrupted => {
            [Ended::Interrupted, Ended::Completed].map(|ended| of_trace(|raw| raw.ended = ended))
        }
        K::InvariantViolations => {
            [1, 0].map(|commits| of_breakdown(|breakdown| breakdown.invariant_violations = commits))
        }
        // At most one request in twenty.
        K::LateGenerator => load(|measured, late| measured.lag_parts.late_by_pacer = late, [51, 50]),
        K::LostRecords => tracer(|traced, lost| traced.account.losses.lost = lost, [1, 0]),
        K::MissingProbe => tracer(
            |traced, missing| {
                traced.account.probes[0].missing = (missing == 1).then(|| "no symbol".to_owned());
            },
            [1, 0],
        ),
        K::NoCommits => {
            let nothing = of_trace(|raw| {
                raw.snapshot.traced.as_mut().unwrap().explained.breakdown = Breakdown::default();
            });
            [nothing, of_trace(|_| {})]
        }
        K::NotGivenBack => run(|raw, is_left| raw.teardown_error = is_left.then(|| "it is left".to_owned())),
        K::OrderCount => load(order, [11, 10]),
        K::PartlyJoined => [1, 0].map(of_join),
        K::Recording => tracer(
            |traced, failed| {
                traced.explained.recording_failed = (failed == 1).then(|| io::Error::other("no space"));
            },
            [1, 0],
        ),
        K::RemoteServer => run(|raw, is_remote| {
            raw.snapshot.traced = None;
            raw.snapshot.server.pid = raw.snapshot.server.pid.filter(|_| !is_remote);
        }),
        K::ServerDied => [EndReason::ServerGone, EndReason::Completed]
            .map(|ended| of_load(|measured| measured.ended = ended)),
        K::SilentProbes => tracer(
            |traced, moved| {
                let moved = usize::try_from(moved).unwrap();
                traced.account.moved_probes = vec!["commit begin"; moved];
            },
            [1, 0],
        ),
        K::StallInWarmup => load(|measured, requests| measured.from_warmup = requests, [1, 0]),
        K::Unchecked => run(|raw, is_unknown| {
            raw.checked.run = Some(match is_unknown {
                true => Err("no server".to_owned()),
                false => Ok(conditions(0)),
            });
        }),
        K::UndecodableRecords => tracer(|traced, records| traced.explained.undecodable = records, [1, 0]),
        // At most one twentieth of the commit time.
        K::Unexplained => [51, 50].map(|per_mille| of_breakdown(|breakdown| unexplain(breakdown, per_mille))),
        K::Unfinished => load(|measured, requests| measured.unfinished = requests, [1, 0]),
        K::UnfinishedRun => [unfinished(untraced_run()), untraced_run()],
        K::Unsent => load(|measured, requests| measured.unsent = requests, [1, 0]),
        K::UnknownNames => ["slow_query_log_file", "sync_binlog"]
            .map(|name| of_trace(|raw| drop(raw.snapshot.server.variables.remove(name)))),
        // As long as for the server, which takes a millisecond.
        K::WaitingForConnections => load(
            |measured, wait_ns| measured.lag_parts.connection = times(wait_ns, 1_000),
            [1_010_000, 1_000_000],
        ),
        K::Other(_) => return None,
    })
}

#[test]
fn each_kind_is_given_from_its_bound_on() {
    for kind in CaveatKind::iter() {
        let Some([given, under]) = cases(&kind) else {
            continue;
        };
        let kinds = |document: &Document| -> Vec<CaveatKind> {
            document
                .caveats
                .iter()
                .map(|caveat| caveat.kind.clone())
                .collect()
        };
        assert_eq!(kinds(&given), std::slice::from_ref(&kind));
        assert_eq!(kinds(&under), [], "just under the bound of {kind}");
        assert_eq!(given.is_degraded(), kind.degrades(), "{kind}");
    }
}
