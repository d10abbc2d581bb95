//! Puts the run document together from what the parts gave; pure.

use std::collections::BTreeMap;

use logtrace_driver::DISCONNECTED;
use logtrace_report::distribution::Distribution;
use logtrace_report::document::{Document, Driver, Probe, SCHEMA, Server, Tracer, Workload};
use logtrace_tracer::{Account, ProbeAccount};

use super::caveats::findings;
use super::config::{Pacing, RunConfig};
use super::measure::{Raw, Traced};
use super::storage;

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

/// The document of a run, and whether the run is degraded.
pub(crate) fn document(config: &RunConfig, started: &str, raw: &Raw) -> (Document, bool) {
    let mut document = Document {
        schema: SCHEMA,
        started: started.into(),
        server: server(config, raw),
        workload: workload(config, raw),
        driver: driver(config, raw),
        commits: None,
        causes: Vec::new(),
        unexplained: 0,
        files: Vec::new(),
        tracer: None,
        unclassified: Vec::new(),
        caveats: Vec::new(),
    };
    if let Some(traced) = &raw.traced {
        document.set_breakdown(&traced.explained.breakdown);
        document.tracer = Some(tracer(traced));
    }
    let findings = findings(raw, &document);
    let degraded = findings.iter().any(|finding| finding.degrades);
    document.caveats = findings.into_iter().map(|finding| finding.caveat).collect();
    (document, degraded)
}

fn server(config: &RunConfig, raw: &Raw) -> Server {
    let facts = &raw.server;
    let chosen = config.settings.iter().map(|setting| setting.name().to_owned());
    let names = COMMIT_VARIABLES.into_iter().map(str::to_owned).chain(chosen);
    let value = |name: String| Some((name.clone(), facts.variables.get(&name)?.clone()));
    Server {
        flavor: facts.flavor.as_str().into(),
        version: facts.version.clone(),
        private: facts.private,
        binary: facts.binary.display().to_string(),
        file_system: raw
            .data
            .as_ref()
            .map_or_else(|| "unknown".into(), |data| data.kind.clone()),
        device: raw
            .data
            .as_ref()
            .map_or_else(|| "unknown".into(), storage::device_of),
        image: raw.data.as_ref().and_then(storage::image_of),
        placement: storage::placement(&config.storage.placements, raw.host.as_ref()),
        settings: names.filter_map(value).collect(),
    }
}

fn workload(config: &RunConfig, raw: &Raw) -> Workload {
    Workload {
        name: config.workload.name.into(),
        connections: u32::try_from(config.connections.get()).unwrap_or(u32::MAX),
        arrivals: match config.pacing {
            Pacing::Open(_, arrivals) => arrivals.name().into(),
            Pacing::Closed => "closed".into(),
        },
        seed: config.dataset.seed,
        keys: config.dataset.keys.name().into(),
        tables: config.dataset.tables,
        rows: config.dataset.rows.into(),
        duration_s: config.duration.as_secs_f64(),
        warmup_s: config.warmup.as_secs_f64(),
        capacity_per_s: raw.capacity_per_s,
    }
}

fn driver(config: &RunConfig, raw: &Raw) -> Driver {
    let Some(measured) = &raw.measured else {
        return Driver {
            offered_per_s: match config.pacing {
                Pacing::Open(rate, _) => Some(rate.per_second(raw.capacity_per_s.unwrap_or_default())),
                Pacing::Closed => None,
            },
            ..Driver::default()
        };
    };
    Driver {
        offered_per_s: measured.offered_per_s,
        achieved_per_s: measured.achieved_per_s,
        requests: measured.requests,
        done: measured.done,
        errors: by_code(&measured.errors),
        retries: by_code(&measured.retries),
        late: measured.late,
        unsent: measured.unsent,
        unfinished: measured.unfinished,
        backlog_max: measured.backlog_max,
        cpu_ns: measured.client_cpu_ns,
        lag: Distribution::from(&measured.lag),
        service: Distribution::from(&measured.service),
        response: Distribution::from(&measured.response),
    }
}

fn by_code(counts: &BTreeMap<u16, u64>) -> BTreeMap<String, u64> {
    let name = |code: u16| match code {
        DISCONNECTED => "disconnected".to_owned(),
        code => code.to_string(),
    };
    counts.iter().map(|(&code, &count)| (name(code), count)).collect()
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
