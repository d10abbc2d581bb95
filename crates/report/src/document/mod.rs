//! `run.json`: all the numbers of one run, as they are kept and as every renderer reads them.
//!
//! Times are integer nanoseconds unless a name says otherwise. docs/run-json.md describes the same for users.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

mod burst_coverage;
pub mod consistency;
mod from_breakdown;
mod request_type;
pub mod schema;
mod server;
mod tpcc;
mod workload;

pub use self::request_type::KindRow;
pub use self::server::{LoopImage, Placed, Server};
pub use self::tpcc::{Consistency, Tpcc};
pub use self::workload::Workload;
pub use crate::requests::parts::Response;
pub use crate::totals::by_cause::{CauseRow, Commits};
pub use crate::totals::by_device::DeviceRow;
pub use crate::totals::by_file::FileRow;
pub use crate::totals::by_group::{Disagreements, Groups};
pub use crate::totals::by_stack::StackTotal;
pub use crate::totals::by_statement::{StatementCause, Statements};
pub use crate::totals::distribution::Distribution;
pub use crate::totals::stalls::{SlowTenth, SlowTenthCause};
pub use crate::totals::trace_gaps::Gaps;

/// Version of the layout of `run.json`.
pub const SCHEMA: u32 = 1;

/// One measured run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Document {
    /// [`SCHEMA`].
    pub schema: u32,
    /// RFC 3339 time at which the run started.
    pub started: String,
    /// The server.
    pub server: Server,
    /// What was asked of it; absent when the load was not logtrace's.
    pub workload: Option<Workload>,
    /// What the driver measured; absent when the load was not logtrace's.
    pub driver: Option<Driver>,
    /// What the TPC-C-like workload came to; absent with any other.
    #[serde(default)]
    pub tpcc: Option<Tpcc>,
    /// How somebody else's load was watched; absent when the load was logtrace's.
    pub trace: Option<Trace>,
    /// What the response times were made of; absent when the run was not traced, or no request could be joined with
    /// the thread of its connection.
    #[serde(default)]
    pub response: Option<Response>,
    /// The server's commits; absent when the run was not traced.
    pub commits: Option<Commits>,
    /// Where the commit time went; sums to `commits.total` exactly.
    pub causes: Vec<CauseRow>,
    /// Commit time that no cause claims; also present as a cause with wait "unexplained".
    pub unexplained: u64,
    /// Statements outside of their commits; absent below the highest level of detail.
    #[serde(default)]
    pub statements: Option<Statements>,
    /// Groups of commits as the server stated them; absent where it stated none.
    #[serde(default)]
    pub groups: Option<Groups>,
    /// System calls by file.
    pub files: Vec<FileRow>,
    /// Flushes by device; empty where they were not traced.
    #[serde(default)]
    pub devices: Vec<DeviceRow>,
    /// The tracer's own account; absent when the run was not traced.
    pub tracer: Option<Tracer>,
    /// Kernel stacks that no rule knows.
    pub unclassified: Vec<StackTotal>,
    /// What a reader must know before trusting the numbers.
    pub caveats: Vec<Caveat>,
}

impl Document {
    /// The times in which the tracer did not look; `None` where everything was traced, or nothing.
    pub fn gaps(&self) -> Option<Gaps> {
        self.tracer.as_ref()?.gaps
    }
}

/// What the driver measured.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Driver {
    /// Requests a second that were asked for, their mean where they changed; absent in a closed loop.
    pub offered_per_s: Option<f64>,
    /// Requests a second that the server did.
    pub achieved_per_s: f64,
    /// Requests that were due in the window.
    pub requests: u64,
    /// Requests that succeeded.
    pub done: u64,
    /// Failed requests by error code (`disconnected` for a broken connection).
    pub errors: BTreeMap<String, u64>,
    /// Attempts that were repeated, by error code.
    pub retries: BTreeMap<String, u64>,
    /// Requests sent more than 1 ms after they were due.
    pub late: u64,
    /// Requests that were due and never sent.
    pub unsent: u64,
    /// Requests sent and not answered when the run ended.
    pub unfinished: u64,
    /// Requests done in each tenth of a second from the start of the window, the time after it included; sums to `done`.
    /// Absent in older documents.
    #[serde(default)]
    pub per_tenth: Vec<u64>,
    /// The longest backlog.
    pub backlog_max: u64,
    /// CPU time of the driver's thread in the window.
    pub cpu_ns: u64,
    /// sent - due.
    pub lag: Distribution,
    /// done - sent.
    pub service: Distribution,
    /// done - due.
    pub response: Distribution,
    /// Time in attempts that failed and were repeated, of the requests that had such; absent in older documents.
    #[serde(default)]
    pub retrying: Distribution,
    /// Times in which connections were lost; absent in older documents.
    #[serde(default)]
    pub outages: Vec<OutageRow>,
    /// Requests by kind, of a workload from a file; those of the TPC-C-like workload are in its own part. Absent in older
    /// documents.
    #[serde(default)]
    pub kinds: Vec<KindRow>,
}

/// From the first connection that was lost until all that were lost are there again.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct OutageRow {
    /// When it began, in nanoseconds from the start of the window.
    pub at: u64,
    /// How long until the last one was there again of those that came back; absent when none did.
    pub length: Option<u64>,
    /// Connections that were lost.
    pub connections: u64,
    /// Connections that came back.
    pub back: u64,
    /// `restarted`: the server was, in between. `closed`: the server went on, and ended the connections. `unknown`: it did
    /// not say.
    pub cause: String,
}

/// How a load that was not logtrace's was watched.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Trace {
    /// The server's process.
    pub pid: u32,
    /// Length of the measured window, in seconds, as it was in the end.
    pub duration_s: f64,
}

/// What the tracer saw, missed and cost.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Tracer {
    /// Records read.
    pub events: u64,
    /// Records that the kernel side could not store.
    pub lost: u64,
    /// Bytes that were not a record.
    pub undecodable: u64,
    /// Records that did not fit.
    pub unmatched: u64,
    /// Commits whose segments did not add up.
    pub invariant_violations: u64,
    /// Run time of the BPF programs.
    pub bpf_ns: u64,
    /// CPU time of the threads that read records and explain commits.
    pub reader_cpu_ns: u64,
    /// `(bpf_ns + reader_cpu_ns) / commits`.
    pub cpu_ns_per_commit: u64,
    /// The probes.
    pub probes: Vec<Probe>,
    /// The times in which the tracer did not look, where only bursts were traced: `response`, `commits`, `causes`,
    /// `statements`, `files` and `devices` are of the bursts alone. Absent where everything was traced.
    #[serde(default)]
    pub gaps: Option<Gaps>,
}

/// One probe.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Probe {
    /// What it watches.
    pub name: String,
    /// Where it was placed, and how.
    pub place: String,
    /// Whether it is attached.
    pub attached: bool,
    /// Times that its program ran.
    pub runs: u64,
    /// Run time of its program.
    pub run_ns: u64,
}

/// Something that a reader must know before trusting the numbers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Caveat {
    /// A stable word for scripts, such as `lost_records`.
    pub kind: String,
    /// The explanation.
    pub text: String,
}
