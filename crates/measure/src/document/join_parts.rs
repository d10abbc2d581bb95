//! Parts of a join.

use logtrace_attribution::recorded::Recorded;
use logtrace_report::document::Document;

/// Parts of a join, of which its document is made.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Parts<'a> {
    pub(crate) run: &'a Document,
    pub(crate) trace: &'a Document,
    /// Trace in the window of the run.
    pub(crate) explained: &'a Recorded,
    /// Time of the window that the trace does not cover.
    pub(crate) missed_ns: u64,
}
