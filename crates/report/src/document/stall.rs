//! Tenths of a second in which few commits ended.

use logtrace_common::FileClass;
use logtrace_events::IoOp;
use serde::{Deserialize, Serialize};

use crate::causes::cause::{Wait, Who};

/// A tenth of a second in which less than half as many commits ended as in the median tenth.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SlowTenth {
    /// When it began, in nanoseconds from the start of the window.
    pub at: u64,
    /// Commits that ended in it.
    pub ended: u64,
    /// Commits that were under way in it, those that ended in it included.
    pub under_way: u64,
    /// What these waited for in this tenth, the largest first.
    pub causes: Vec<SlowTenthCause>,
}

/// One cause in a slow tenth.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SlowTenthCause {
    /// Whose work.
    pub who: Who,
    /// Class of the file, null outside of file I/O.
    pub file: Option<FileClass>,
    /// Operation on it, null outside of file I/O.
    pub op: Option<IoOp>,
    /// What was waited for.
    pub wait: Wait,
    /// Nanoseconds of this tenth, over all commits that were under way.
    pub total: u64,
}
