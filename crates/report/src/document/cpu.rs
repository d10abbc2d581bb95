//! CPU time in the measured window.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::document::Document;

/// CPU time in the measured window, by columns of time. Column 0 begins with the window.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Cpu {
    /// Width of a column in nanoseconds: at first a tenth of a second, and twice as wide whenever there would be more than 600.
    pub column_ns: u64,
    /// All threads of the server's process, those that ended included. What tracing adds to these threads is part of it.
    pub server: CpuColumns,
    /// All that ran on the CPUs of the machine; absent if the kernel did not tell.
    pub machine: Option<CpuColumns>,
}

/// CPU time by column.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CpuColumns {
    /// Sum of the columns.
    pub total: u64,
    /// CPU time in each column. The last one may be cut by the end of the window.
    pub columns: Vec<u64>,
}

/// Work that CPU time is divided by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Work {
    /// Commits of the server.
    Commit,
    /// Requests that were done.
    Request,
}

impl Work {
    /// Returns the word for one of them.
    pub fn word(self) -> &'static str {
        match self {
            Self::Commit => "commit",
            Self::Request => "request",
        }
    }
}

impl Document {
    /// Returns how much work the whole window saw; `None` if there was none, or if it is not known, as commits are where only
    /// bursts were traced.
    pub fn work(&self, work: Work) -> Option<u64> {
        let count = match work {
            Work::Commit if self.gaps().is_some() => 0,
            Work::Commit => self.commits.as_ref()?.count,
            Work::Request => self.driver.as_ref()?.done,
        };
        (count > 0).then_some(count)
    }
}
