//! Results of the TPC-C-like workload.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::request_type::KindRow;

/// The TPC-C-like workload.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Tpcc {
    /// Number of warehouses.
    pub warehouses: u64,
    /// `specification`, or the program whose deviations were made: `sysbench-tpcc`, `dbt2`.
    pub compat: String,
    /// Choice of the home warehouse: drawn for each `request`, or fixed for each `connection`.
    pub homes: String,
    /// Whether there were keying and think times.
    pub keying_times: bool,
    /// New orders a minute that were committed in the window.
    pub nopm: f64,
    /// New orders a minute that were done in the window, those rolled back included.
    pub nopm_with_rollbacks: f64,
    /// New orders that were due in the window and committed, in it or in the grace.
    pub committed_orders: u64,
    /// Growth of the server's sum of `d_next_o_id` in the same time; absent if it is unknown.
    pub orders_grown: Option<u64>,
    /// Requests by kind: `new_order`, `payment`, `order_status`, `delivery` and `stock_level`.
    pub transactions: Vec<KindRow>,
    /// Consistency conditions of the specification; empty if they were not checked.
    pub consistency: Vec<Consistency>,
}

/// Consistency condition of the specification.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Consistency {
    /// Number in the specification.
    pub condition: u64,
    /// Text of the condition.
    pub text: String,
    /// Rows or groups of rows that broke it after the load.
    pub after_load: u64,
    /// Rows that broke it after the run; absent if that was not checked.
    pub after_run: Option<u64>,
}
