//! Analysis and reports of a run: from decoded records to causes, totals, the run document and its renderings.
//!
//! Everything here is pure: no clock, no threads, no root, no server. The same code explains a live run, a recorded run
//! and a drawn test case.
//!
//! In the order in which data flows:
//!
//! - `causes`: names of causes, and the rules that recognise them
//! - `timeline`: history of each thread, groups of commits, kernel stacks, flushes
//! - `attribution`: segments of a commit, each with its cause
//! - `requests`: parts of response times
//! - `clocks`: matching the clocks of two machines
//! - `totals`: one file for each statistic
//! - `over_time`: commits and causes over time
//! - `analysis`: from the stream of records to the totals
//! - `recorded`: the same from a recording
//! - `document`: `run.json`
//! - `perfetto`: a recording as a trace of Perfetto
//! - `pprof`: commit time by stack as a profile of pprof
//! - `render`: text, pages and drawings

pub mod analysis;
mod attribution;
mod causes;
pub mod clocks;
mod deflated;
pub mod document;
mod over_time;
pub mod perfetto;
pub mod pprof;
pub mod recorded;
pub mod render;
mod requests;
#[doc(hidden)]
pub mod synthetic;
mod timeline;
mod totals;
pub mod units;

pub use causes::cause;
pub use document::consistency as check;
pub use timeline::threads as timelines;

/// Explanation of one commit.
pub mod explain {
    pub use crate::attribution::explained_commit::ExplainedCommit;
    pub use crate::attribution::segment::Segment;
    pub use crate::attribution::walk::explain;
    pub use crate::attribution::walk::memory::Memory;
    pub use crate::timeline::frames::Frames;
}

/// Totals of the measured window.
pub mod breakdown {
    pub use crate::over_time::column_sums::{ColumnSum, ColumnSums};
    pub use crate::over_time::document::{
        CauseCube, CubeCell, HeatCell, HeatCells, OverTime, OverTimeError, RequestCells, Sums,
    };
    pub use crate::over_time::exemplars::document::{
        Exemplar, ExemplarPart, ExemplarRecord, ExemplarRecords, Exemplars, Lane,
    };
    pub use crate::over_time::recent::Recent;
    pub use crate::over_time::stack_row::StackRow;
    pub use crate::over_time::waited_for::{ThreadTime, WaitedFor};
    pub use crate::requests::parts::Part;
    pub use crate::totals::breakdown::Breakdown;
    pub use crate::totals::by_stack::{StackTotal, StackTotals, Whole};
}

/// Distribution of durations.
pub mod distribution {
    pub use crate::totals::distribution::Distribution;
}
