//! Puts together what every run document holds; pure.

use logtrace_report::document::{Caveat, Document, Gaps, Probe, SCHEMA, Server, Tracer};
use logtrace_tracer::{Account, ProbeAccount};

use super::caveat::is_degrading;
use super::server_snapshot::Observed;
use super::storage_labels::{device_of, image_of};
use super::tracing::Traced;

/// Variables that a durable commit depends on, on either server.
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

/// Everything that a measurement came to.
#[derive(Debug)]
pub(crate) struct Measured {
    /// What was seen of the server.
    pub(crate) observed: Observed,
    /// The run document.
    pub(crate) document: Document,
    /// Whether scripts must not take the run for a good one.
    pub(crate) degraded: bool,
}

impl Measured {
    /// Adds caveats to the document.
    pub(crate) fn new(observed: Observed, mut document: Document, caveats: Vec<Caveat>) -> Self {
        let degraded = caveats.iter().any(is_degrading);
        document.caveats.extend(caveats);
        Self {
            observed,
            document,
            degraded,
        }
    }
}

/// The document of a measurement without a load: server, commits, and the tracer's account. The variables of
/// `chosen` names are told too.
pub(crate) fn document(
    started: &str,
    observed: &Observed,
    chosen: impl IntoIterator<Item = String>,
) -> Document {
    let mut document = Document {
        schema: SCHEMA,
        started: started.into(),
        server: server(observed, chosen),
        workload: None,
        driver: None,
        tpcc: None,
        trace: None,
        response: None,
        commits: None,
        causes: Vec::new(),
        unexplained: 0,
        statements: None,
        groups: None,
        files: Vec::new(),
        devices: Vec::new(),
        tracer: None,
        unclassified: Vec::new(),
        caveats: Vec::new(),
    };
    if let Some(traced) = &observed.traced {
        document.set_breakdown(&traced.explained.breakdown);
        document.tracer = Some(tracer(traced));
    }
    document
}

fn server(observed: &Observed, chosen: impl IntoIterator<Item = String>) -> Server {
    let facts = &observed.server;
    let names = COMMIT_VARIABLES.into_iter().map(str::to_owned).chain(chosen);
    let value = |name: String| Some((name.clone(), facts.variables.get(&name)?.clone()));
    Server {
        flavor: facts.flavor.as_str().into(),
        version: facts.version.clone(),
        private: facts.private,
        binary: facts.binary.display().to_string(),
        file_system: observed
            .data
            .as_ref()
            .map_or_else(|| "unknown".into(), |data| data.kind.clone()),
        device: observed.data.as_ref().map_or_else(|| "unknown".into(), device_of),
        image: observed.data.as_ref().and_then(image_of),
        placement: Vec::new(),
        settings: names.filter_map(value).collect(),
    }
}

fn tracer(traced: &Traced) -> Tracer {
    let account = &traced.account;
    let breakdown = &traced.explained.breakdown;
    let cpu_ns = account.bpf_ns() + account.reader_cpu_ns();
    Tracer {
        events: account.events,
        lost: account.losses.lost,
        undecodable: traced.explained.undecodable,
        unmatched: account.losses.unmatched + breakdown.unmatched,
        invariant_violations: breakdown.invariant_violations,
        bpf_ns: account.bpf_ns(),
        reader_cpu_ns: account.reader_cpu_ns(),
        cpu_ns_per_commit: cpu_ns.checked_div(breakdown.commits.len()).unwrap_or(0),
        probes: account.probes.iter().map(|of| probe(account, of)).collect(),
        gaps: breakdown.gaps.map(|of| Gaps {
            count: of.count,
            untraced: of.untraced_ns,
            traced: of.traced_ns,
        }),
    }
}

fn probe(account: &Account, of: &ProbeAccount) -> Probe {
    Probe {
        name: of.name.into(),
        place: of.place.clone(),
        attached: of.missing.is_none(),
        runs: account.runs(of),
        run_ns: account.run_ns(of),
    }
}
