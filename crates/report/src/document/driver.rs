//! Measurements of the driver.

use std::collections::BTreeMap;

use logtrace_attribution::breakdown::Distribution;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::document::request_type::KindRow;
use crate::document::step_commits::StepCommits;

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

/// Measurements of the driver.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Driver {
    /// Measured capacity, if the wanted rate was a share of it.
    #[serde(default)]
    pub capacity: Option<Capacity>,
    /// Wanted requests per second, or their mean if the rate changed; absent in a closed loop.
    pub offered_per_s: Option<f64>,
    /// Requests per second that the server did.
    pub achieved_per_s: f64,
    /// Requests that were due in the window.
    pub requests: u64,
    /// Requests that succeeded.
    pub done: u64,
    /// Failed requests by error code (`disconnected` for a broken connection).
    pub errors: BTreeMap<String, u64>,
    /// First failure with each of these codes, but for `deadline`; up to 32 codes. Empty in older documents.
    #[serde(default)]
    pub first_errors: BTreeMap<String, FirstError>,
    /// Attempts that were repeated, by error code.
    pub retries: BTreeMap<String, u64>,
    /// Requests of the warm-up that still ran when the window began; part of `requests`. 0 in documents of schema 1.
    #[serde(default)]
    pub from_warmup: u64,
    /// Requests sent more than 1 ms after they were due.
    pub late: u64,
    /// Requests that the pacer sent more than 1 ms late although a connection was free. 0 in documents of schema 1.
    #[serde(default)]
    pub late_by_pacer: u64,
    /// Requests that found no free connection when they were due. 0 in documents of schema 1.
    #[serde(default)]
    pub queued: u64,
    /// Requests that were due and never sent.
    pub unsent: u64,
    /// Requests sent and not answered when the run ended.
    pub unfinished: u64,
    /// Requests done in each tenth of a second from the start of the window, the time after it included; sums to `done`.
    /// Absent in older documents.
    #[serde(default)]
    pub per_tenth: Vec<u64>,
    /// Largest number of requests that waited for a free connection.
    pub backlog_max: u64,
    /// Requests that waited for a free connection when the window ended. 0 in documents of schema 1.
    #[serde(default)]
    pub backlog_end: u64,
    /// CPU time of the driver's thread in the window.
    pub cpu_ns: u64,
    /// Lag: sent - due. For each request, `pacer_lag` and `connection_wait` add up to it.
    pub lag: Distribution,
    /// Lag while a connection was free: the pacer was late. Empty in documents of schema 1.
    #[serde(default)]
    pub pacer_lag: Distribution,
    /// Wait for a free connection. Empty in documents of schema 1.
    #[serde(default)]
    pub connection_wait: Distribution,
    /// Service time: done - sent.
    pub service: Distribution,
    /// Response time: done - due.
    pub response: Distribution,
    /// Response time of all requests that were due: a failed one counts with the time until it failed, one without an
    /// answer with the time until logtrace stopped waiting for it. Empty in documents of schema 1.
    #[serde(default)]
    pub response_with_failed: Distribution,
    /// Time of failed and repeated attempts, of requests with such attempts; absent in older documents.
    #[serde(default)]
    pub retrying: Distribution,
    /// Outages of connections; absent in older documents.
    #[serde(default)]
    pub outages: Vec<OutageRow>,
    /// Requests by kind, of a workload from a file; those of the TPC-C-like workload are in its own part. Absent in older
    /// documents.
    #[serde(default)]
    pub kinds: Vec<KindRow>,
    /// Requests by step of the rate; empty if it did not change in steps.
    #[serde(default)]
    pub steps: Vec<StepRow>,
}

/// First failure with an error code.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct FirstError {
    /// Message of the server, or error of the connection; at most 300 characters.
    pub text: String,
    /// Statement that failed, with question marks in place of its values; at most 300 characters. Absent if it is unknown.
    pub statement: Option<String>,
}

/// Requests that were due in one step of the rate.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct StepRow {
    /// Start, in nanoseconds from the start of the window.
    pub at: u64,
    /// Length in nanoseconds.
    pub length: u64,
    /// Rate at the start of the step, in requests a second.
    pub from_per_s: f64,
    /// Rate at its end.
    pub to_per_s: f64,
    /// Requests that were due in it.
    pub requests: u64,
    /// Requests of these that succeeded.
    pub done: u64,
    /// Lag of these.
    pub lag: Distribution,
    /// Service time of these.
    pub service: Distribution,
    /// Response time of these.
    pub response: Distribution,
    /// Commits that ended in the step; absent if the run was not traced, and in older documents.
    #[serde(default)]
    pub commits: Option<StepCommits>,
}

/// Outage, from the first lost connection until all lost connections are back.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct OutageRow {
    /// Start, in nanoseconds from the start of the window.
    pub at: u64,
    /// Time until the last connection that came back was back; absent if none came back.
    pub length: Option<u64>,
    /// Connections that were lost.
    pub connections: u64,
    /// Connections that came back.
    pub back: u64,
    /// `restarted`: the server was, in between. `closed`: the server went on, and ended the connections. `unknown`: it did
    /// not say.
    pub cause: String,
}
