//! `over-time.json`: commits and their causes over time. docs/run-json.md describes the same for users.

use std::collections::{BTreeMap, BTreeSet};

use logtrace_common::{HeatMap, MOST_COLUMNS};
use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::over_time::column_sums::ColumnSums;
use crate::over_time::exemplars::document::Exemplars;
use crate::over_time::packed::{self, Numbers};
use crate::over_time::stack_row::StackRow;
use crate::over_time::under_way::UnderWay;
use crate::over_time::waited_for::WaitedFor;

/// Commits and requests of the measured window over time. Column 0 begins with the window; a commit and a request are in the
/// column of their end.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct OverTime {
    /// Commits by their durations.
    pub commits: HeatCells,
    /// Time of the commits by cause.
    pub causes: CauseCube,
    /// The slowest commits, at most 64, the slowest first.
    pub slowest: Exemplars,
    /// Two random commits of each band of durations, the shortest first.
    #[serde(default)]
    pub typical: Exemplars,
    /// The two slowest commits of each of the longest stalls, at most 16 of these.
    #[serde(default)]
    pub stalls: Exemplars,
    /// Requests; absent if the load was not logtrace's, and in files of older versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub requests: Option<RequestCells>,
    /// Time of the commits when it passed; absent in files of older versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub under_way: Option<UnderWay>,
    /// Threads that commits waited for; absent in files of older versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub waited_for: Option<WaitedFor>,
    /// Names of the listed threads by their ids, as the kernel has them; without those that ended before the trace.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub threads: BTreeMap<u32, String>,
}

/// Requests done by their times, and all requests by when they were due and waited.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RequestCells {
    /// Lag: sent - due.
    pub lag: HeatCells,
    /// Service time: done - sent.
    pub service: HeatCells,
    /// Response time: done - due.
    pub response: HeatCells,
    /// Numbers of all requests by when they were due; absent in files of older versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub due: Option<ColumnSums>,
    /// Nanoseconds in which requests waited for a free connection, in each column; absent in files of older versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub backlog: Option<ColumnSums>,
}

/// Heat map: numbers of durations by time and length.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct HeatCells {
    /// Width of a column in nanoseconds.
    pub column_ns: u64,
    /// Numbers that are not 0, in the order of columns and rows.
    #[serde(with = "packed")]
    pub cells: Vec<HeatCell>,
}

impl HeatCells {
    /// Returns the number of all durations.
    pub fn count(&self) -> u128 {
        self.cells.iter().map(|cell| u128::from(cell.count)).sum()
    }
}

impl From<&HeatMap> for HeatCells {
    fn from(map: &HeatMap) -> Self {
        let counts = map.counts().into_iter();
        let cells = counts.map(|((column, row), count)| HeatCell { column, row, count });
        Self {
            column_ns: map.column_ns(),
            cells: cells.collect(),
        }
    }
}

/// Number of durations in a column and a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HeatCell {
    /// Column of time.
    pub column: u64,
    /// Row of lengths ([`logtrace_common::latency_row`]).
    pub row: u16,
    /// Number of durations.
    pub count: u64,
}

/// Commit time by time, duration and stack. All cells sum to `commits.total` of `run.json` exactly; so do those of a column or a
/// band to its part.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CauseCube {
    /// Width of a column in nanoseconds: that of the heat map, or a multiple of it.
    pub column_ns: u64,
    /// Stacks, the largest first.
    pub stacks: Vec<StackRow>,
    /// Cells with time, in the order of columns, bands and stacks.
    #[serde(with = "packed")]
    pub cells: Vec<CubeCell>,
}

/// Time of one stack in the commits of a column and a band.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CubeCell {
    /// Column of time.
    pub column: u64,
    /// Band of durations: four rows of the heat map, half an octave.
    pub band: u16,
    /// Place in `stacks`.
    pub stack: usize,
    /// Nanoseconds.
    pub ns: u64,
    /// Number of commits that the stack delayed.
    pub commits: u64,
}

/// Error for text that is not the commits of a run over time.
#[derive(Debug, Error)]
pub enum OverTimeError {
    /// Text that is not JSON, or has a field that is missing or of another type.
    #[error("it cannot be read")]
    Syntax(#[from] serde_json::Error),
    /// Cell of a stack that is not listed.
    #[error("a cell has the stack {0}, which is not listed")]
    Stack(usize),
    /// Cell of a wait that is not listed.
    #[error("a cell has the wait {0}, which is not listed")]
    Wait(usize),
    /// Record of an exemplar with a lane or a word that is not listed.
    #[error("a record of a commit has a lane or a word that is not listed")]
    Record,
    /// Cells that do not sum to the commits or the requests of the run.
    #[error(
        "it does not add up to run.json, so one of them was changed after the run or written by a defect"
    )]
    Imbalance,
}

/// Numbers of a run that its commits and requests over time sum to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sums {
    /// Commits.
    pub commits: u64,
    /// Sum of their durations in nanoseconds.
    pub total_ns: u64,
    /// Requests done.
    pub done: u64,
}

impl OverTime {
    /// Returns the listed threads: those of the single commits, and those that all commits waited for.
    pub fn thread_ids(&self) -> BTreeSet<u32> {
        let exemplars = [&self.slowest, &self.typical, &self.stalls].into_iter();
        let waited_for = self.waited_for.iter().flat_map(|found| &found.threads);
        let waited_for = waited_for.map(|thread| thread.tid);
        exemplars
            .flat_map(Exemplars::thread_ids)
            .chain(waited_for)
            .collect()
    }

    /// Reads `over-time.json`, and checks that it adds up to its run.
    pub fn parse(text: &str, sums: Sums) -> Result<Self, OverTimeError> {
        serde_json::from_str::<Self>(text)?.checked(sums)
    }

    /// Checks that it names only what it lists, and that it adds up to its run.
    pub fn checked(self, sums: Sums) -> Result<Self, OverTimeError> {
        let listed = self.causes.stacks.len();
        if let Some(cell) = self.causes.cells.iter().find(|cell| cell.stack >= listed) {
            return Err(OverTimeError::Stack(cell.stack));
        }
        for exemplars in [&self.slowest, &self.typical, &self.stalls] {
            if let Some(stack) = exemplars.unknown_stack() {
                return Err(OverTimeError::Stack(stack));
            }
            if !exemplars.has_known_records() {
                return Err(OverTimeError::Record);
            }
        }
        if let Some(under_way) = &self.under_way
            && let Some(cell) = under_way
                .cells
                .iter()
                .find(|cell| cell.wait >= under_way.waits.len())
        {
            return Err(OverTimeError::Wait(cell.wait));
        }
        match self.sums_to(sums) {
            true => Ok(self),
            false => Err(OverTimeError::Imbalance),
        }
    }

    fn sums_to(&self, sums: Sums) -> bool {
        let total_ns: u128 = self.causes.cells.iter().map(|cell| u128::from(cell.ns)).sum();
        let done = u128::from(sums.done);
        let requests = self.requests.iter();
        let mut maps = requests.flat_map(|requests| [&requests.lag, &requests.service, &requests.response]);
        self.commits.count() == u128::from(sums.commits)
            && total_ns == u128::from(sums.total_ns)
            && maps.all(|map| map.count() == done)
    }
}

impl Numbers<3> for HeatCell {
    fn numbers(&self) -> [u64; 3] {
        [self.column, self.row.into(), self.count]
    }

    fn of([column, row, count]: [u64; 3]) -> Option<Self> {
        Some(Self {
            column: column_of(column)?,
            row: row.try_into().ok()?,
            count,
        })
    }
}

impl Numbers<5> for CubeCell {
    fn numbers(&self) -> [u64; 5] {
        [
            self.column,
            self.band.into(),
            self.stack as u64,
            self.ns,
            self.commits,
        ]
    }

    fn of([column, band, stack, ns, commits]: [u64; 5]) -> Option<Self> {
        Some(Self {
            column: column_of(column)?,
            band: band.try_into().ok()?,
            stack: stack.try_into().ok()?,
            ns,
            commits,
        })
    }
}

fn column_of(number: u64) -> Option<u64> {
    (number < MOST_COLUMNS).then_some(number)
}
