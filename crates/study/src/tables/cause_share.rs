//! Causes and their shares of the waiting time.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;

use crate::cell::Cell;
use crate::results::figure::Figure;
use crate::results::measurement_result::cause_name;
use crate::results::study_results::Results;

/// Number of causes of an entry.
const CAUSES: usize = 3;
/// Smallest share of a cause of an entry.
const SMALLEST: f64 = 0.03;

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
}

/// Returns the largest causes over all repeats of a cell: of commits if the figure is about commits, else of commits and
/// traced statements.
pub(crate) fn largest(cell: &Cell, results: &Results, figure: &Figure) -> Vec<CauseShare> {
    let (mut totals, mut events): (BTreeMap<String, u64>, u64) = (BTreeMap::new(), 0);
    for (_, measured) in results.measured(cell) {
        let (causes, count) = match figure {
            Figure::Commits(_) | Figure::CommitPart(_) => (&measured.commit_causes, measured.commits),
            _ => (&measured.causes, measured.events),
        };
        events += count;
        for cause in causes {
            let name = cause_name(cause.io, cause.wait);
            *totals.entry(name).or_default() += cause.total;
        }
    }
    let mut totals: Vec<(String, u64)> = totals.into_iter().collect();
    totals.sort_by_key(|(_, total)| Reverse(*total));
    let shares = shares(totals, Some(events)).into_iter();
    shares.filter(|one| one.share >= SMALLEST).take(CAUSES).collect()
}

/// Returns the share of each cause in their sum, in the same order, and its mean per event if the number of events is given.
pub(crate) fn shares(totals: Vec<(String, u64)>, events: Option<u64>) -> Vec<CauseShare> {
    let all: u64 = totals.iter().map(|(_, total)| total).sum();
    let events = events.filter(|&events| events > 0);
    let shares = totals.into_iter().map(|(cause, total)| CauseShare {
        cause,
        share: nine_digits(total as f64 / all.max(1) as f64),
        mean: events.map(|events| nine_digits(total as f64 / events as f64)),
    });
    shares.collect()
}

/// Rounds to nine significant digits: further ones differ from machine to machine.
pub(crate) fn nine_digits(value: f64) -> f64 {
    format!("{value:.8e}").parse().unwrap_or(value)
}
