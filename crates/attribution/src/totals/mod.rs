//! Totals over the measured window: one file for each statistic.

pub(crate) mod busiest_files;
pub(crate) mod by_cause;
pub(crate) mod by_device;
pub(crate) mod by_file;
pub(crate) mod by_group;
pub(crate) mod by_stack;
pub(crate) mod by_stage;
pub(crate) mod by_statement;
pub(crate) mod cpu_functions;
pub(crate) mod distribution;
pub(crate) mod file_names;
pub(crate) mod histogram;
pub(crate) mod lock_holders;
pub(crate) mod slowest;
pub(crate) mod stalls;
pub(crate) mod trace_gaps;

use crate::holders::document::Holders;
use crate::over_time::document::OverTime;
use crate::requests::parts::Response;
use crate::totals::by_cause::{CauseRow, Commits};
use crate::totals::by_device::DeviceRow;
use crate::totals::by_file::FileRow;
use crate::totals::by_group::Groups;
use crate::totals::by_stack::{StackTotal, StackTotals};
use crate::totals::by_stage::StatementStages;
use crate::totals::by_statement::Statements;
use crate::totals::trace_gaps::Gaps;

/// Totals of the measured window.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Breakdown {
    /// Commits.
    pub commits: Commits,
    /// Charged causes, the largest first. Their totals sum to `commits.total` exactly.
    pub causes: Vec<CauseRow>,
    /// System calls on each file within the window, by all threads.
    pub files: Vec<FileRow>,
    /// Flushes of each device within the window; empty if they were not traced.
    pub devices: Vec<DeviceRow>,
    /// Parts of the response times of the requests that could be matched with the thread of their connection.
    pub response: Response,
    /// Time of the clients' statements by stage; `None` without a statement.
    pub stages: Option<StatementStages>,
    /// Statements outside their commits, if they were explained.
    pub statements: Option<Statements>,
    /// Whether statements were told apart although a pool of threads serves the connections.
    pub is_pooled: bool,
    /// Groups of commits, if the server stated them.
    pub groups: Option<Groups>,
    /// Untraced gaps, if only bursts were traced. All other totals cover the bursts alone.
    pub gaps: Option<Gaps>,
    /// Transactions and processes that commits waited for, without the names of connections.
    pub holders: Holders,
    /// Commits and their causes over time.
    pub over_time: OverTime,
    /// Time by stack.
    pub stacks: StackTotals,
    /// Number of commits with segments that overlapped, were negative, or did not sum to the commit's duration.
    pub invariant_violations: u64,
    /// Number of records that contradicted earlier ones, such as an interval that overlaps the one before it.
    pub unmatched: u64,
    /// Kernel stacks of blocks that no rule recognises, with their time, the largest first.
    pub unclassified: Vec<StackTotal>,
}

impl Breakdown {
    /// Returns the number of commits that are charged with a contradiction, each once for each thread's role in it.
    pub fn contradictions(&self) -> u64 {
        let rows = self.causes.iter().filter(|row| row.cause.is_contradiction());
        rows.map(|row| row.commits).sum()
    }
}
