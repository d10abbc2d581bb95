//! Result of the analysis.

use crate::over_time::document::OverTime;
use crate::requests::parts::Response;
use crate::totals::by_cause::{CauseRow, Commits};
use crate::totals::by_device::DeviceRow;
use crate::totals::by_file::FileRow;
use crate::totals::by_group::Groups;
use crate::totals::by_stack::{StackTotal, StackTotals};
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
    /// Parts of the response times of the requests that could be joined with the thread of their connection.
    pub response: Response,
    /// Statements outside their commits, if they were explained.
    pub statements: Option<Statements>,
    /// Groups of commits, if the server stated them.
    pub groups: Option<Groups>,
    /// Untraced gaps, if only bursts were traced. All other totals cover the bursts alone.
    pub gaps: Option<Gaps>,
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
