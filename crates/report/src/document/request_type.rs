//! Requests by kind, where a workload has several.

use logtrace_attribution::breakdown::Distribution;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Requests of one type.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct KindRow {
    /// Name of the type.
    pub name: String,
    /// Requests that the server did, those rolled back included.
    pub done: u64,
    /// Requests of these that were rolled back on purpose: the TPC-C specification demands it of one new order in a hundred.
    pub rolled_back: u64,
    /// Requests that failed.
    pub failed: u64,
    /// Service time: done - sent.
    pub service: Distribution,
    /// Response time: done - due.
    pub response: Distribution,
}
