//! Document of any measurement; pure.

use logtrace_attribution::breakdown::{OverTime, RequestCells};
use logtrace_common::{Detail, units};
use logtrace_report::document::{
    self, Caveat, Container, Document, Probe, Program, SCHEMA, Server, TracedParts, Tracer,
};
use logtrace_server::ContainerFacts;
use logtrace_tracer::{Account, ProbeAccount};

use super::caveat::is_degrading;
use super::host::host;
use super::server_snapshot::ServerSnapshot;
use super::storage_labels::{device_of, image_of};
use super::tracing::Traced;

/// Variables that affect the durability of a commit on MySQL or MariaDB.
const COMMIT_VARIABLES: [&str; 9] = [
    "binlog_group_commit_sync_delay",
    "binlog_order_commits",
    "innodb_flush_log_at_trx_commit",
    "innodb_flush_method",
    "innodb_log_writer_threads",
    "log_bin",
    "sql_log_bin",
    "sync_binlog",
    "thread_handling",
];

/// Programs that read the groups of commits.
const GROUP_PROGRAMS: [&str; 4] = [
    "on_flush_join",
    "on_flush_lead",
    "on_group_join",
    "on_group_member",
];

/// Results of a measurement.
#[derive(Debug)]
pub struct Results {
    pub(crate) snapshot: ServerSnapshot,
    /// `run.json`.
    pub document: Document,
    /// Requests over time, if the load was logtrace's.
    pub(crate) requests: Option<RequestCells>,
    /// Whether scripts must reject the run (exit code 3).
    pub degraded: bool,
}

impl Results {
    /// Adds caveats to the document.
    pub(crate) fn new(snapshot: ServerSnapshot, mut document: Document, caveats: Vec<Caveat>) -> Self {
        let degraded = caveats.iter().any(is_degrading);
        document.caveats.extend(caveats);
        Self {
            snapshot,
            document,
            requests: None,
            degraded,
        }
    }

    /// Returns the commits and requests over time, if there are any.
    pub(crate) fn over_time(&self) -> Option<OverTime> {
        let traced = self.snapshot.traced.as_ref();
        let commits = traced.map(|traced| traced.explained.breakdown.over_time.clone());
        (commits.is_some() || self.requests.is_some()).then(|| OverTime {
            requests: self.requests.clone(),
            ..commits.unwrap_or_default()
        })
    }
}

/// Returns the document of a measurement without a load: server, commits, and the account of the tracer. `chosen` names
/// further variables to list.
pub fn document(
    started: &str,
    snapshot: &ServerSnapshot,
    chosen: impl IntoIterator<Item = String>,
) -> Document {
    let mut document = Document {
        schema: SCHEMA,
        logtrace: env!("CARGO_PKG_VERSION").into(),
        started: started.into(),
        host: snapshot.host.as_ref().map(host),
        server: server(snapshot, chosen),
        workload: None,
        driver: None,
        cpu: snapshot.cpu.clone(),
        tpcc: None,
        trace: None,
        join: None,
        response: None,
        commits: None,
        causes: Vec::new(),
        unexplained: 0,
        last_resort: 0,
        statements: None,
        groups: None,
        files: None,
        devices: None,
        tracing: None,
        tracer: None,
        unclassified: Vec::new(),
        caveats: Vec::new(),
    };
    if let Some(traced) = &snapshot.traced {
        document.set_breakdown(&traced.explained.breakdown, traced_parts(traced));
        document.tracing = Some(tracing(traced));
        document.tracer = Some(tracer(traced));
    }
    document
}

fn server(snapshot: &ServerSnapshot, chosen: impl IntoIterator<Item = String>) -> Server {
    let (facts, group) = (&snapshot.server, snapshot.control_group.as_ref());
    let names = COMMIT_VARIABLES.into_iter().map(str::to_owned).chain(chosen);
    let value = |name: String| Some((name.clone(), facts.variables.get(&name)?.clone()));
    Server {
        flavor: facts.flavor,
        version: facts.version.clone(),
        private: facts.private,
        binary: facts.binary.as_ref().map(|binary| binary.display().to_string()),
        control_group: group.map(|group| group.path.clone()),
        container: group.and_then(|group| group.container.as_ref()).map(container),
        file_system: snapshot
            .data
            .as_ref()
            .map_or_else(|| "unknown".into(), |data| data.kind.clone()),
        device: snapshot.data.as_ref().map_or_else(|| "unknown".into(), device_of),
        image: snapshot.data.as_ref().and_then(image_of),
        placement: Vec::new(),
        settings: names.filter_map(value).collect(),
    }
}

fn container(facts: &ContainerFacts) -> Container {
    Container {
        runtime: facts.runtime.to_owned(),
        id: facts.id.clone(),
    }
}

fn traced_parts(traced: &Traced) -> TracedParts {
    let is_group = |probe: &&ProbeAccount| GROUP_PROGRAMS.contains(&probe.program);
    let mut groups = traced.account.probes.iter().filter(is_group).peekable();
    TracedParts {
        files: traced.detail >= Detail::Io,
        devices: traced.detail >= Detail::Full,
        groups: groups.peek().is_some() && groups.all(|probe| probe.missing.is_none()),
    }
}

fn tracing(traced: &Traced) -> document::Tracing {
    document::Tracing {
        detail: traced.detail.to_string(),
        sample: traced.sampling.to_string(),
        ring_bytes: traced.ring_bytes.get().into(),
        recorded: traced.is_recorded,
    }
}

fn tracer(traced: &Traced) -> Tracer {
    let account = &traced.account;
    let breakdown = &traced.explained.breakdown;
    let commits = breakdown.commits.count;
    let a_commit = account.cpu().times(1.0 / commits.max(1) as f64);
    Tracer {
        events: account.events,
        lost: account.losses.lost,
        undecodable: traced.explained.undecodable,
        unmatched: account.losses.unmatched + breakdown.unmatched,
        invariant_violations: breakdown.invariant_violations,
        bpf_ns: units::whole(account.bpf().ns),
        entry_ns: units::whole(account.entries().ns),
        slow_call_ns: units::whole(account.slow_paths().ns),
        reader_cpu_ns: account.reader_cpu_ns(),
        cpu_ns_per_commit: if commits > 0 { units::whole(a_commit.ns) } else { 0 },
        cpu_ns_per_commit_range: (commits > 0)
            .then(|| (units::whole(a_commit.low()), units::whole(a_commit.high()))),
        programs: programs(account),
        probes: account.probes.iter().map(probe).collect(),
        gaps: breakdown.gaps,
    }
}

fn programs(account: &Account) -> Vec<Program> {
    let program = |(name, runs, run_ns): (&str, _, _)| Program {
        name: name.into(),
        runs,
        run_ns,
    };
    account.programs().map(program).collect()
}

fn probe(of: &ProbeAccount) -> Probe {
    Probe {
        name: of.name.into(),
        program: of.program.into(),
        place: of.place.clone(),
        attached: of.missing.is_none(),
    }
}
