//! Causes and their shares of the waiting time.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use logtrace_attribution::cause::{Cause, Wait, WaitKind, Who};
use schemars::JsonSchema;
use serde::Serialize;

use crate::cell::Cell;
use crate::results::StudyResults;
use crate::results::figure::Figure;
use crate::results::measurement_result::{CauseTotal, MeasurementResult, cause_name};

/// Cause and its share of all waiting time.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct CauseShare {
    /// File, operation and wait, such as `binlog fsync, journal commit`; in stalls also the thread that did the work.
    pub cause: String,
    /// Kind of its wait, as in `run.json`.
    pub kind: WaitKind,
    /// Share of all waiting time.
    #[schemars(range(min = 0, max = 1))]
    pub share: f64,
    /// Mean nanoseconds per commit, or per statement where hardly anything commits. `None` in stalls.
    pub mean: Option<f64>,
    /// Parts of the cause by the thread that did the work, the largest first. They sum to the cause.
    pub who: Vec<WhoShare>,
    /// Wait of the cause.
    #[serde(skip)]
    pub wait: Wait,
}

/// Part of a cause for which a thread did the work.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct WhoShare {
    /// Thread that did the work, or nobody.
    pub who: Who,
    /// Share of all waiting time.
    #[schemars(range(min = 0, max = 1))]
    pub share: f64,
    /// Mean nanoseconds per commit, or per statement where hardly anything commits. `None` in stalls.
    pub mean: Option<f64>,
}

/// Returns all causes over all repeats of a cell, the largest first: of commits if the figure is about commits, else of commits
/// and traced statements.
pub(crate) fn causes(cell: &Cell, results: &StudyResults, figure: &Figure) -> Vec<CauseShare> {
    let (totals, events) = totals(cell, results, figure);
    shares(&totals, cause_name_of, Some(events))
}

/// Returns the time of these causes over all repeats of a cell, and the number of events that had them.
pub(crate) fn totals(cell: &Cell, results: &StudyResults, figure: &Figure) -> (Vec<(Cause, u64)>, u64) {
    over_repeats(cell, results, |measured| match figure {
        Figure::Commits(_) | Figure::CommitPart(_) => (&measured.commit_causes, measured.commits),
        _ => (&measured.causes, measured.events),
    })
}

/// Returns the causes of the time of a cell's statements outside of commits over all repeats, the largest first.
pub(crate) fn causes_outside(cell: &Cell, results: &StudyResults) -> Vec<CauseShare> {
    let (totals, events) = over_repeats(cell, results, |measured| {
        (&measured.outside_causes, measured.statements)
    });
    shares(&totals, cause_name_of, Some(events))
}

/// Adds up causes and the events that had them over all repeats of a cell.
fn over_repeats(
    cell: &Cell,
    results: &StudyResults,
    of: impl Fn(&MeasurementResult) -> (&Vec<CauseTotal>, u64),
) -> (Vec<(Cause, u64)>, u64) {
    let (mut totals, mut events) = (Vec::new(), 0);
    for (_, measured) in results.measured(cell) {
        let (causes, count) = of(measured);
        events += count;
        totals.extend(causes.iter().map(|one| (one.cause, one.total)));
    }
    (totals, events)
}

/// Returns the causes of a stall, the largest first. Causes of different threads stay apart.
pub(crate) fn stall_causes(totals: &[(Cause, u64)]) -> Vec<CauseShare> {
    shares(
        totals,
        |cause| format!("{} ({})", cause_name_of(cause), cause.who),
        None,
    )
}

fn cause_name_of(cause: Cause) -> String {
    cause_name(cause.io, cause.wait)
}

/// Adds up the causes of each name, and returns their shares in the sum of all, the largest first. Means per event follow if
/// the number of events is given.
fn shares(totals: &[(Cause, u64)], name: impl Fn(Cause) -> String, events: Option<u64>) -> Vec<CauseShare> {
    let mut named: BTreeMap<(String, Wait), BTreeMap<Who, u64>> = BTreeMap::new();
    for &(cause, total) in totals {
        let parts = named.entry((name(cause), cause.wait)).or_default();
        *parts.entry(cause.who).or_default() += total;
    }
    let all: u64 = totals.iter().map(|(_, total)| total).sum();
    let events = events.filter(|&events| events > 0);
    let share = |total: u64| nine_digits(total as f64 / all.max(1) as f64);
    let mean = |total: u64| events.map(|events| nine_digits(total as f64 / events as f64));
    let mut named: Vec<_> = named.into_iter().collect();
    named.sort_by_key(|(_, parts)| Reverse(parts.values().sum::<u64>()));
    let shares = named.into_iter().map(|((cause, wait), parts)| {
        let total = parts.values().sum();
        let mut parts: Vec<(Who, u64)> = parts.into_iter().collect();
        parts.sort_by_key(|(_, total)| Reverse(*total));
        let who = parts.into_iter().map(|(who, total)| WhoShare {
            who,
            share: share(total),
            mean: mean(total),
        });
        CauseShare {
            cause,
            kind: wait.kind(),
            share: share(total),
            mean: mean(total),
            who: who.collect(),
            wait,
        }
    });
    shares.collect()
}

/// Rounds to nine significant digits: further ones differ from machine to machine.
pub(crate) fn nine_digits(value: f64) -> f64 {
    format!("{value:.8e}").parse().unwrap_or(value)
}
