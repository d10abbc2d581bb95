//! Measured capacity of a server.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Capacity of a server: the rate of a closed loop before the run, in which it was traced as in the window.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Capacity {
    /// Requests per second of the slower one of the last two parts.
    pub per_s: f64,
    /// Requests per second of each part, in their order; empty in documents of schema 1.
    pub parts_per_s: Vec<f64>,
    /// Whether the last part reached nine tenths of the part before; false in documents of schema 1.
    pub lasts: bool,
    /// Connections; absent in documents of schema 1.
    pub connections: Option<u32>,
}
