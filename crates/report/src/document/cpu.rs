//! CPU time in the measured window.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

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
