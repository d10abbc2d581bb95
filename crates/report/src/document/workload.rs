//! Workload of the run.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Workload of the run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Workload {
    /// Name of the workload.
    pub name: String,
    /// Connections.
    pub connections: u32,
    /// Whether they are encrypted; absent in older documents.
    #[serde(default)]
    pub encrypted: Option<bool>,
    /// `poisson`, `uniform`, `replay` of known times, or `closed` for a closed loop (`--max`).
    pub arrivals: String,
    /// Source of a rate that changed: the range, the schedule's file, or the replayed file; absent if the rate was constant.
    pub schedule: Option<String>,
    /// Seed of arrivals and keys.
    pub seed: u64,
    /// Distribution of keys, with its parameters: `uniform`, `special`, `zipfian:0.8`.
    pub keys: String,
    /// Tables.
    pub tables: u32,
    /// Rows of each table; absent where they are not of one size.
    pub rows: Option<u64>,
    /// Length of the measured window, in seconds.
    pub duration_s: f64,
    /// Length of the warm-up before it, in seconds.
    pub warmup_s: f64,
    /// Longest time that a request may take, in nanoseconds; absent if there was no limit.
    #[serde(default)]
    pub deadline: Option<u64>,
    /// Whether the pacer spun on a CPU for the last microseconds before a request was due.
    #[serde(default)]
    pub spin: bool,
    /// Whether an earlier run left the tables.
    #[serde(default)]
    pub tables_reused: bool,
    /// Variables of each connection's session that were set; absent in older documents.
    #[serde(default)]
    pub session: BTreeMap<String, String>,
    /// Number of times that a request has the statements of each group, by sysbench's name of the group; absent in older
    /// documents.
    #[serde(default)]
    pub statements: BTreeMap<String, u64>,
    /// Rows of a range that is read; absent where the workload reads none.
    #[serde(default)]
    pub range_size: Option<u64>,
    /// Whether BEGIN and COMMIT are around the statements of a request.
    #[serde(default)]
    pub transaction: bool,
    /// `prepared` or `text`; absent in older documents.
    #[serde(default)]
    pub protocol: Option<String>,
    /// CPUs of the server and of logtrace; absent if they were not chosen.
    #[serde(default)]
    pub cpus: Option<CpuPlacement>,
}

/// CPUs of the server and of logtrace, such as `0,2-3`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CpuPlacement {
    /// CPUs of the server.
    pub server: Option<String>,
    /// CPUs of logtrace, with its load and its tracer.
    pub client: Option<String>,
}
