//! What a reader must know before trusting the numbers; pure.

use logtrace_driver::{Ended, Measured};
use logtrace_report::document::{Caveat, Document};

use super::measure::{Raw, Traced};

/// A caveat, and whether the run is degraded by it (exit code 3).
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Finding {
    /// What is told.
    pub(crate) caveat: Caveat,
    /// Whether scripts must not take the run for a good one.
    pub(crate) degrades: bool,
}

/// Share of requests that may be sent late through the generator's own fault.
const LATE_SHARE: f64 = 0.05;

/// Share of requests that may wait for a connection when the window ends: chance alone lets a few.
const BACKLOG_SHARE: f64 = 0.01;

/// Share of commit time that may stay unexplained.
const UNEXPLAINED_SHARE: f64 = 0.05;

/// Everything worth telling about a run.
pub(crate) fn findings(raw: &Raw, document: &Document) -> Vec<Finding> {
    let mut found = Vec::new();
    if let Some(measured) = &raw.measured {
        found.extend(of_driver(measured));
    }
    if let Some(traced) = &raw.traced {
        found.extend(of_tracer(traced));
    }
    found.extend(of_commits(document));
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

fn degrading(kind: &str, text: String) -> Finding {
    Finding {
        caveat: Caveat {
            kind: kind.into(),
            text,
        },
        degrades: true,
    }
}

fn telling(kind: &str, text: String) -> Finding {
    Finding {
        caveat: Caveat {
            kind: kind.into(),
            text,
        },
        degrades: false,
    }
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

fn of_tracer(traced: &Traced) -> Vec<Finding> {
    let mut found = Vec::new();
    let losses = traced.account.losses;
    if losses.lost > 0 {
        found.push(degrading(
            "lost_records",
            format!(
                "{} records were lost: causes are incomplete, sums are still exact",
                losses.lost
            ),
        ));
    }
    if traced.explained.undecodable > 0 {
        let count = traced.explained.undecodable;
        found.push(degrading(
            "undecodable_records",
            format!("{count} records could not be understood"),
        ));
    }
    if traced.explained.breakdown.invariant_violations > 0 {
        let count = traced.explained.breakdown.invariant_violations;
        found.push(degrading(
            "invariant_violations",
            format!("the causes of {count} commits did not add up"),
        ));
    }
    for probe in &traced.account.probes {
        if let Some(missing) = &probe.missing {
            found.push(telling(
                "missing_probe",
                format!("{} is not attached: {missing}", probe.name),
            ));
        }
    }
    if let Some(error) = &traced.explained.recording_failed {
        found.push(degrading(
            "recording",
            format!("the recording is incomplete: {error}"),
        ));
    }
    found
}

fn of_commits(document: &Document) -> Option<Finding> {
    let commits = document.commits.as_ref()?;
    let unexplained = share(document.unexplained, commits.total);
    (unexplained > UNEXPLAINED_SHARE).then(|| {
        telling(
            "unexplained",
            format!("{:.1} % of the commit time is unexplained", unexplained * 100.0),
        )
    })
}

fn share(part: u64, whole: u64) -> f64 {
    if whole == 0 {
        0.0
    } else {
        part as f64 / whole as f64
    }
}
