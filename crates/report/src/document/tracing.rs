//! Settings of the tracer.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Settings of the tracer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Tracing {
    /// Level of detail: `commit`, `io` or `full`.
    pub detail: String,
    /// Part of the time that was traced: `100%`, or with bursts `10%` or `25%:2s`.
    pub sample: String,
    /// Bytes of the ring of each CPU.
    pub ring_bytes: u64,
    /// Whether the records were saved.
    pub recorded: bool,
}

/// Parts of a document that depend on the level of detail. A part that was not traced is null; one that was, and has nothing
/// in it, is empty.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TracedParts {
    /// Whether system calls on files were traced.
    pub files: bool,
    /// Whether flushes of devices were traced.
    pub devices: bool,
    /// Whether the server's groups of commits were read.
    pub groups: bool,
}

impl TracedParts {
    /// All parts.
    pub const ALL: Self = Self {
        files: true,
        devices: true,
        groups: true,
    };
}
