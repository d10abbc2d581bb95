//! Attribution of the time of commits: from decoded records to totals of what each nanosecond waited for.
//!
//! Everything here is pure: no clock, no threads, no root, no server. The same code explains a live run, a recorded run
//! and a drawn test case.
//!
//! In the order in which data flows:
//!
//! - `causes`: names of causes, and the rules that recognise them
//! - `timeline`: history of each thread, groups of commits, kernel stacks, flushes
//! - `charging`: segments of a commit, each with its cause
//! - `requests`: parts of response times
//! - `clocks`: matching the clocks of two machines
//! - `totals`: one file for each statistic
//! - `holders`: transactions that other commits waited for
//! - `over_time`: commits and causes over time
//! - `analysis`: from the stream of records to the totals
//! - `recorded`: the same from a recording

pub mod analysis;
mod causes;
mod charging;
pub mod clocks;
pub mod deflated;
mod holders;
mod over_time;
pub mod recorded;
mod requests;
mod timeline;
mod totals;

pub use causes::names_schema;

/// Colours.
pub mod rgb {
    pub use crate::causes::color::{Rgb, hex};
}

/// Histories of the server's threads.
pub mod timelines {
    pub use crate::timeline::{Timelines, Unmatched};
}

/// Causes, and the time that each took.
pub mod cause {
    pub use crate::causes::branch::{Branch, BranchParts, by_branch};
    pub use crate::causes::cause_time::{CauseTime, largest_first};
    pub use crate::causes::kind::WaitKind;
    pub use crate::causes::{Cause, Wait, Who};
}

/// Functions of servers that show what a thread waits for.
#[doc(hidden)]
pub mod server_functions {
    pub use crate::causes::server_rules::{functions_of_rules, is_named};
}

/// Explanation of one commit.
pub mod explain {
    pub use crate::charging::Segment;
    pub use crate::charging::explained_commit::ExplainedCommit;
    pub use crate::charging::walk::explain;
    pub use crate::charging::walk::memory::Memory;
    pub use crate::timeline::frames::{FrameNames, Frames};
    pub use crate::timeline::thread::woken_ns;
}

/// Totals of the measured window.
pub mod breakdown {
    pub use crate::holders::document::{
        Holders, LARGE_BYTES, NameSource, ProcessRow, SessionRow, TransactionRow,
    };
    pub use crate::over_time::column_sums::{ColumnSum, ColumnSums};
    pub use crate::over_time::document::{
        CauseCube, CubeCell, HeatCell, HeatCells, OverTime, OverTimeError, RequestCells, Sums,
    };
    pub use crate::over_time::exemplars::document::{
        Exemplar, ExemplarPart, ExemplarRecord, ExemplarRecords, Exemplars, Lane,
    };
    pub use crate::over_time::exemplars::stalled::stalls;
    pub use crate::over_time::exemplars::typical::ROWS_IN_BAND;
    pub use crate::over_time::recent::Recent;
    pub use crate::over_time::stack_row::StackRow;
    pub use crate::over_time::under_way::{UnderWay, UnderWayCell};
    pub use crate::over_time::waited_for::{ThreadTime, ThreadWork, WaitedFor};
    pub use crate::requests::other_clients::OtherCommits;
    pub use crate::requests::part::Part;
    pub use crate::requests::parts::Response;
    pub use crate::totals::Breakdown;
    pub use crate::totals::by_cause::{CauseRow, Commits};
    pub use crate::totals::by_device::DeviceRow;
    pub use crate::totals::by_file::{FileRow, Files};
    pub use crate::totals::by_group::{Disagreements, Groups};
    pub use crate::totals::by_stack::{StackTotal, StackTotals, Whole};
    pub use crate::totals::by_stage::{CutStatements, LongWaits, StatementStages};
    pub use crate::totals::by_statement::{StatementCause, Statements};
    pub use crate::totals::distribution::Distribution;
    pub use crate::totals::lock_holders::LockHolder;
    pub use crate::totals::stalls::SlowTenth;
    pub use crate::totals::trace_gaps::Gaps;
}
