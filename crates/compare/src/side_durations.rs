//! Distributions of durations of both sides.

use std::collections::BTreeMap;

use logtrace_common::latency_row_start_ns;
use serde::Serialize;
use strum::Display;

use crate::durations::BatchDurations;
use crate::side::Side;

/// Durations of both sides by row, as the heat maps of reports have them.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SideDurations {
    /// Kind of the durations.
    pub of: Lasting,
    /// Rows that a side has, the shortest first.
    pub rows: Vec<DurationShare>,
}

/// Kind of durations.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Display)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum Lasting {
    /// Commits.
    Commits,
    /// Requests, from when they were due.
    Responses,
}

impl Lasting {
    fn durations(self, side: &Side) -> &BatchDurations {
        match self {
            Self::Commits => &side.batches.commits,
            Self::Responses => &side.batches.responses,
        }
    }
}

/// Share of each side in a row of durations.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct DurationShare {
    /// Shortest duration of the row.
    pub low_ns: u64,
    /// Shortest duration of the row above.
    pub high_ns: u64,
    /// Share of all durations of A, the mean over its runs.
    pub a: f64,
    /// Share of all durations of B.
    pub b: f64,
}

/// Returns the distributions that all runs have.
pub(crate) fn side_durations(pairs: &[(Side, Side)]) -> Vec<SideDurations> {
    let of = [Lasting::Commits, Lasting::Responses].into_iter();
    let of = of.map(|lasting| SideDurations {
        of: lasting,
        rows: rows(pairs, lasting).unwrap_or_default(),
    });
    of.filter(|one| !one.rows.is_empty()).collect()
}

/// Returns the shares by row, or `None` if a run has no durations.
fn rows(pairs: &[(Side, Side)], of: Lasting) -> Option<Vec<DurationShare>> {
    let mut shares = BTreeMap::<u16, [f64; 2]>::new();
    for (a, b) in pairs {
        for (side, run) in [a, b].into_iter().enumerate() {
            let counts = of.durations(run).all_rows();
            let all: f64 = counts.values().sum();
            if all == 0.0 {
                return None;
            }
            for (row, count) in counts {
                shares.entry(row).or_default()[side] += count / all / pairs.len() as f64;
            }
        }
    }
    let rows = shares.into_iter().map(|(row, [a, b])| DurationShare {
        low_ns: latency_row_start_ns(row),
        high_ns: latency_row_start_ns(row.saturating_add(1)),
        a,
        b,
    });
    Some(rows.collect())
}
