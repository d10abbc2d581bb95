//! `run.json`: all the numbers of one run, as they are kept and as every renderer reads them.
//!
//! Times are integer nanoseconds unless a name says otherwise. docs/run-json.md describes the same for users.

use logtrace_attribution::breakdown::Sums;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

mod burst_coverage;
mod caveat;
pub mod consistency;
mod cpu;
mod driver;
mod from_breakdown;
mod host;
mod join;
mod primary_figure;
mod primary_values;
pub(crate) mod reading;
mod request_type;
pub mod schema;
mod server;
mod step_commits;
pub(crate) mod thread_names;
mod tpcc;
mod tracing;
mod workload;

pub use self::caveat::{Caveat, CaveatKind};
pub use self::cpu::{Cpu, CpuColumns, Work};
pub use self::driver::{Capacity, Driver, FirstError, OutageRow, StepRow};
pub use self::host::{Disk, Host};
pub use self::join::Join;
pub use self::primary_figure::PrimaryFigure;
pub use self::request_type::KindRow;
pub use self::server::{Container, LoopImage, Placed, Server};
pub use self::step_commits::StepCommits;
pub use self::tpcc::{Consistency, Tpcc};
pub use self::tracing::{TracedParts, Tracing};
pub use self::workload::{CpuPlacement, Workload};
pub use logtrace_attribution::breakdown::{
    CauseRow, Commits, CutStatements, DeviceRow, Disagreements, Distribution, FileRow, Gaps, Groups, Holders,
    LockHolder, LongWaits, NameSource, OtherCommits, ProcessRow, Response, SessionRow, SlowTenth, StackTotal,
    StatementCause, StatementStages, Statements, TransactionRow,
};
pub use logtrace_attribution::cause::CauseTime;

/// Version of the layout of `run.json`.
pub const SCHEMA: u32 = 2;

/// Measured run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Document {
    /// [`SCHEMA`].
    pub schema: u32,
    /// Version of logtrace; empty in documents of schema 1.
    #[serde(default)]
    pub logtrace: String,
    /// Start of the run, as RFC 3339 time.
    pub started: String,
    /// Machine of the server; absent in documents of schema 1.
    #[serde(default)]
    pub host: Option<Host>,
    /// Measured server.
    pub server: Server,
    /// Workload; absent if the load was not logtrace's.
    pub workload: Option<Workload>,
    /// Measurements of the driver; absent if the load was not logtrace's.
    pub driver: Option<Driver>,
    /// CPU time in the window; absent where it is not known, as of a server on another machine, and in older documents.
    #[serde(default)]
    pub cpu: Option<Cpu>,
    /// Results of the TPC-C-like workload; absent with other workloads.
    #[serde(default)]
    pub tpcc: Option<Tpcc>,
    /// Trace of a foreign load; absent if the load was logtrace's.
    pub trace: Option<Trace>,
    /// Clocks of a run that was joined with a trace of another machine; absent in other runs.
    #[serde(default)]
    pub join: Option<Join>,
    /// Parts of the response times; absent if the run was not traced, or if no request could be joined with the thread of
    /// its connection.
    #[serde(default)]
    pub response: Option<Response>,
    /// Commits of the server; absent if the run was not traced.
    pub commits: Option<Commits>,
    /// Commit time by cause; sums to `commits.total` exactly.
    pub causes: Vec<CauseRow>,
    /// Commit time without a known cause; also present as a cause with wait "unexplained".
    pub unexplained: u64,
    /// Commit time that only a rule of last resort names: the number of a system call, a time-out, or a kernel stack
    /// without a rule. Part of the causes; 0 in older documents.
    #[serde(default)]
    pub last_resort: u64,
    /// Time of the clients' statements before, in and after their commits, and their long waits before them; absent at the
    /// lowest level of detail, with a pool of threads, without a statement, and in older documents.
    #[serde(default)]
    pub stages: Option<StatementStages>,
    /// Statements outside their commits; absent below the highest level of detail.
    #[serde(default)]
    pub statements: Option<Statements>,
    /// Groups of commits as the server stated them; absent if they were not read.
    #[serde(default)]
    pub groups: Option<Groups>,
    /// Transactions and processes that commits waited for, and the connections of threads; absent if the run was not traced,
    /// and in older documents.
    #[serde(default)]
    pub holders: Option<Holders>,
    /// System calls by file; absent if they were not traced.
    pub files: Option<Vec<FileRow>>,
    /// Flushes by device; absent if they were not traced.
    #[serde(default)]
    pub devices: Option<Vec<DeviceRow>>,
    /// Settings of the tracer; absent if the run was not traced, and in documents of schema 1.
    #[serde(default)]
    pub tracing: Option<Tracing>,
    /// Records, losses and cost of the tracer; absent if the run was not traced.
    pub tracer: Option<Tracer>,
    /// Kernel stacks that no rule recognises.
    pub unclassified: Vec<StackTotal>,
    /// Caveats that a reader must know before trusting the numbers.
    pub caveats: Vec<Caveat>,
}

impl Document {
    /// Returns the document of a server of which nothing has been measured yet, by this version. `started` is an RFC 3339 time.
    pub fn new(started: String, server: Server) -> Self {
        Self {
            schema: SCHEMA,
            logtrace: env!("CARGO_PKG_VERSION").into(),
            started,
            host: None,
            server,
            workload: None,
            driver: None,
            cpu: None,
            tpcc: None,
            trace: None,
            join: None,
            response: None,
            commits: None,
            causes: Vec::new(),
            unexplained: 0,
            last_resort: 0,
            stages: None,
            statements: None,
            groups: None,
            holders: None,
            files: None,
            devices: None,
            tracing: None,
            tracer: None,
            unclassified: Vec::new(),
            caveats: Vec::new(),
        }
    }

    /// Returns the system calls by file; none if they were not traced.
    pub fn files(&self) -> &[FileRow] {
        self.files.as_deref().unwrap_or_default()
    }

    /// Returns the times in which the tracer paused, or `None` if all of the run was traced, or nothing.
    pub fn gaps(&self) -> Option<Gaps> {
        self.tracer.as_ref()?.gaps
    }

    /// Returns the length of the measured window in seconds, if it is known.
    pub fn window_s(&self) -> Option<f64> {
        let traced = self.trace.as_ref().map(|trace| trace.duration_s);
        traced.or(self.workload.as_ref().map(|workload| workload.duration_s))
    }

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

    /// Returns the numbers that commits and requests over time sum to.
    pub fn sums(&self) -> Sums {
        let commits = self.commits.as_ref();
        Sums {
            commits: commits.map_or(0, |commits| commits.count),
            total_ns: commits.map_or(0, |commits| commits.total),
            done: self.driver.as_ref().map_or(0, |driver| driver.done),
        }
    }

    /// Returns whether scripts must not use the measurement (exit code 3).
    pub fn is_degraded(&self) -> bool {
        self.caveats.iter().any(|caveat| caveat.kind.degrades())
    }

    /// Returns the parts that were traced.
    pub fn traced_parts(&self) -> TracedParts {
        TracedParts {
            files: self.files.is_some(),
            devices: self.devices.is_some(),
            groups: self.groups.is_some(),
        }
    }
}

/// Trace of a load that is not logtrace's.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Trace {
    /// Process id of the server.
    pub pid: u32,
    /// Final length of the measured window, in seconds.
    pub duration_s: f64,
}

/// Records, losses and cost of the tracer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Tracer {
    /// Records read.
    pub events: u64,
    /// Records that the kernel side could not store.
    pub lost: u64,
    /// Bytes that were not a record.
    pub undecodable: u64,
    /// Records that contradicted earlier ones.
    pub unmatched: u64,
    /// Commits with segments that did not add up.
    pub invariant_violations: u64,
    /// Commits with time that is charged to a thread that waited for its client: these causes contradict themselves. Absent
    /// in older documents.
    #[serde(default)]
    pub contradictions: u64,
    /// Run time of the BPF programs.
    pub bpf_ns: u64,
    /// Time from the traced events to the programs and back: traps of uprobes, and calls at tracepoints.
    #[serde(default)]
    pub entry_ns: u64,
    /// Time by which the system calls of all processes took longer, because some are traced.
    #[serde(default)]
    pub slow_call_ns: u64,
    /// CPU time of the threads that read records and explain commits.
    pub reader_cpu_ns: u64,
    /// `(bpf_ns + entry_ns + slow_call_ns + reader_cpu_ns) / commits`.
    pub cpu_ns_per_commit: u64,
    /// Lower and upper end of the range of `cpu_ns_per_commit`. Absent in older documents.
    #[serde(default)]
    pub cpu_ns_per_commit_range: Option<(u64, u64)>,
    /// Programs of the kernel side.
    pub programs: Vec<Program>,
    /// Probes, at which the programs run.
    pub probes: Vec<Probe>,
    /// The times in which the tracer did not look, where only bursts were traced: `response`, `commits`, `causes`,
    /// `stages`, `statements`, `files` and `devices` are of the bursts alone. Absent where everything was traced.
    #[serde(default)]
    pub gaps: Option<Gaps>,
}

impl Tracer {
    /// Returns all CPU time of the tracer in nanoseconds.
    pub fn cpu_ns(&self) -> u64 {
        let parts = [self.bpf_ns, self.entry_ns, self.slow_call_ns, self.reader_cpu_ns];
        parts.into_iter().fold(0, u64::saturating_add)
    }
}

/// Program of the kernel side, at one or several probes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Program {
    /// Name of its function.
    pub name: String,
    /// Number of runs at all of its probes.
    pub runs: u64,
    /// Time of these runs.
    pub run_ns: u64,
}

/// Probe of the tracer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Probe {
    /// Subject of the probe.
    pub name: String,
    /// Name of the program that runs at it.
    pub program: String,
    /// Place of the probe and method.
    pub place: String,
    /// Whether it is attached.
    pub attached: bool,
}
