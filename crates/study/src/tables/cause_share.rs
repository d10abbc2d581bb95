//! Causes and their shares of the waiting time.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use logtrace_report::cause::Wait;
use schemars::JsonSchema;
use serde::Serialize;

use crate::cell::Cell;
use crate::results::figure::Figure;
use crate::results::measurement_result::cause_name;
use crate::results::study_results::Results;

/// Cause and its share of all waiting time.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct CauseShare {
    /// File, operation and wait, such as `binlog fsync, journal commit`; in stalls also the thread that did the work.
    pub cause: String,
    /// Share of all waiting time.
    #[schemars(range(min = 0, max = 1))]
    pub share: f64,
    /// Mean nanoseconds per commit, or per statement where hardly anything commits. `None` in stalls.
    pub mean: Option<f64>,
    /// Wait of the cause.
    #[serde(skip)]
    pub wait: Wait,
}

/// Returns all causes over all repeats of a cell, the largest first: of commits if the figure is about commits, else of commits
/// and traced statements.
pub(crate) fn causes(cell: &Cell, results: &Results, figure: &Figure) -> Vec<CauseShare> {
    let (mut totals, mut events) = (BTreeMap::new(), 0);
    for (_, measured) in results.measured(cell) {
        let (causes, count) = match figure {
            Figure::Commits(_) | Figure::CommitPart(_) => (&measured.commit_causes, measured.commits),
            _ => (&measured.causes, measured.events),
        };
        events += count;
        for cause in causes {
            *totals.entry((cause.io, cause.wait)).or_default() += cause.total;
        }
    }
    let totals = totals.into_iter();
    let mut totals: Vec<(String, Wait, u64)> = totals
        .map(|((io, wait), total)| (cause_name(io, wait), wait, total))
        .collect();
    totals.sort_by_key(|(_, _, total)| Reverse(*total));
    shares(totals, Some(events))
}

/// Returns the share of each cause in their sum, in the same order, and its mean per event if the number of events is given.
pub(crate) fn shares(totals: Vec<(String, Wait, u64)>, events: Option<u64>) -> Vec<CauseShare> {
    let all: u64 = totals.iter().map(|(_, _, total)| total).sum();
    let events = events.filter(|&events| events > 0);
    let shares = totals.into_iter().map(|(cause, wait, total)| CauseShare {
        cause,
        share: nine_digits(total as f64 / all.max(1) as f64),
        mean: events.map(|events| nine_digits(total as f64 / events as f64)),
        wait,
    });
    shares.collect()
}

/// Rounds to nine significant digits: further ones differ from machine to machine.
pub(crate) fn nine_digits(value: f64) -> f64 {
    format!("{value:.8e}").parse().unwrap_or(value)
}
