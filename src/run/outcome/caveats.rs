//! What a reader must know before trusting the numbers; pure.

use logtrace_driver::{Ended, Measured, Outage, OutageCause};
use logtrace_report::document::Document;

use crate::measurement::{Finding, degrading, of_tracing, share, telling};
use crate::run::outcome::raw::Raw;
use crate::run::outcome::tpcc;

/// Share of requests that may be sent late through the generator's own fault.
const LATE_SHARE: f64 = 0.05;

/// Share of requests that may wait for a connection when the window ends: chance alone lets a few.
const BACKLOG_SHARE: f64 = 0.01;

/// Everything worth telling about a run.
pub(crate) fn findings(raw: &Raw, document: &Document) -> Vec<Finding> {
    let mut found = Vec::new();
    if let Some(measured) = &raw.measured {
        found.extend(of_driver(measured));
    }
    found.extend(tpcc::findings(raw));
    found.extend(of_tracing(raw.observed.traced.as_ref(), document));
    if raw.disk_full {
        found.push(degrading(
            "disk_full",
            "the disk of the server's data is full".into(),
        ));
    }
    found.extend(
        raw.not_given_back
            .iter()
            .map(|text| degrading("not_given_back", text.clone())),
    );
    found
}

fn of_driver(measured: &Measured) -> Vec<Finding> {
    let mut found = Vec::new();
    match measured.ended {
        Ended::Completed => {}
        Ended::Interrupted => found.push(telling("interrupted", "the run was ended before its time".into())),
        Ended::ServerGone => {
            found.push(degrading(
                "server_died",
                "the server went away during the run: see its log".into(),
            ));
        }
    }
    found.extend(measured.outages.iter().map(|outage| lost(outage, measured)));
    let late = measured.late.saturating_sub(measured.queued);
    if share(late, measured.requests) > LATE_SHARE {
        found.push(degrading(
            "late_generator",
            format!(
                "{late} of {} requests were sent more than 1 ms late though a connection was free: this machine \
                 was too busy to hold the rate",
                measured.requests
            ),
        ));
    }
    if share(measured.backlog_end, measured.requests) > BACKLOG_SHARE || measured.unsent > 0 {
        found.push(telling(
            "backlog",
            format!(
                "the server was too slow for the rate: {} requests waited for a connection at the end (at most {}), \
                 {} were never sent",
                measured.backlog_end, measured.backlog_max, measured.unsent
            ),
        ));
    }
    found.extend(unfinished(measured));
    found
}

fn lost(outage: &Outage, measured: &Measured) -> Finding {
    let after_ns = outage.start_ns.saturating_sub(measured.window.start_ns);
    let Outage {
        connections, back, ..
    } = outage;
    let until = match outage.end_ns {
        Some(end_ns) => format!(
            "{back} came back, the last one after {:.3} s",
            (end_ns - outage.start_ns) as f64 / 1e9
        ),
        None => "none came back".into(),
    };
    let cause = match outage.cause {
        OutageCause::Restarted => {
            "the server was restarted. Commits after that are not traced, and its settings are those it starts with"
        }
        OutageCause::Closed => "the server went on: it ended the connections",
        OutageCause::Unknown => "the server did not say why",
    };
    degrading(
        "connections_lost",
        format!(
            "{:.3} s into the window connections were lost ({connections}); {until}; {cause}",
            after_ns as f64 / 1e9
        ),
    )
}

fn unfinished(measured: &Measured) -> Option<Finding> {
    (measured.unfinished > 0).then(|| {
        degrading(
            "unfinished",
            format!(
                "{} requests had no answer when the run ended",
                measured.unfinished
            ),
        )
    })
}
