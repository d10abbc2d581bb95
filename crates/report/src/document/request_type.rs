//! Requests by kind, where a workload has several.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::totals::distribution::Distribution;

/// Requests of one type.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct KindRow {
    /// Its name.
    pub name: String,
    /// Requests that the server did, those rolled back included.
    pub done: u64,
    /// Those of them that were rolled back on purpose, as the TPC-C specification wants it of one new order in a hundred.
    pub rolled_back: u64,
    /// Requests that failed.
    pub failed: u64,
    /// Service time: done - sent.
    pub service: Distribution,
    /// Response time: done - due.
    pub response: Distribution,
}
