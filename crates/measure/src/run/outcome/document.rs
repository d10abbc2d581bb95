//! Document of a run; pure.

use std::collections::BTreeMap;

use logtrace_attribution::breakdown::{ColumnSums, Distribution, HeatCells, OverTime, RequestCells};
use logtrace_common::{Connection, TimeRange, Variable};
use logtrace_driver::tpcc::TABLES;
use logtrace_driver::{Capacity, Content, DISCONNECTED, DriveResult, Outage, RateStep, TIMED_OUT};
use logtrace_report::document::{self, Document, Driver, KindRow, OutageRow, StepCommits, StepRow, Workload};

use crate::measurement::{self, Results};
use crate::run::config::RunConfig;
use crate::run::cpu_placement::CpuPlacement;
use crate::run::outcome::caveats::caveats;
use crate::run::outcome::request_type_row::kind_row;
use crate::run::outcome::run_outcome::RunOutcome;
use crate::run::outcome::tpcc;

/// Returns the results of a run.
pub fn results(config: &RunConfig, started: &str, raw: RunOutcome) -> Results {
    let document = document(config, started, &raw);
    let caveats = caveats(config, &raw, &document);
    Results {
        requests: raw.measured.as_ref().map(requests),
        ..Results::new(raw.snapshot, document, caveats)
    }
}

fn requests(measured: &DriveResult) -> RequestCells {
    let over_time = &measured.over_time;
    RequestCells {
        lag: HeatCells::from(&over_time.lag),
        service: HeatCells::from(&over_time.service),
        response: HeatCells::from(&over_time.response),
        due: Some(ColumnSums::from(&over_time.due)),
        backlog: Some(ColumnSums::from(&over_time.backlog)),
    }
}

/// Returns the document of a run, without caveats.
pub(crate) fn document(config: &RunConfig, started: &str, raw: &RunOutcome) -> Document {
    let chosen = config.settings.iter().map(|setting| setting.name().to_owned());
    let mut document = measurement::document(started, &raw.snapshot, chosen);
    document.server.placement =
        measurement::placement(&config.storage.placements, raw.snapshot.host.as_ref());
    document.workload = Some(workload(config, raw));
    document.driver = Some(driver(config, raw));
    document.tpcc = tpcc::document(config, raw);
    document
}

fn workload(config: &RunConfig, raw: &RunOutcome) -> Workload {
    let requests = &config.requests;
    let (tables, rows) = tables(config);
    Workload {
        name: requests.name().into(),
        connections: u32::try_from(raw.connections.get()).unwrap_or(u32::MAX),
        encrypted: raw.snapshot.connection.as_ref().map(Connection::is_encrypted),
        arrivals: config.pacing.arrivals().into(),
        schedule: config.pacing.schedule(),
        seed: config.dataset.seed,
        keys: keys(config),
        tables,
        rows,
        duration_s: config.duration.as_secs_f64(),
        warmup_s: config.warmup.as_secs_f64(),
        deadline: config
            .deadline
            .and_then(|deadline| u64::try_from(deadline.as_nanos()).ok()),
        spin: config.spin,
        tables_reused: raw.tables_reused,
        statements: requests
            .groups()
            .map(|(group, count)| (group.as_str().to_owned(), count.into()))
            .collect(),
        range_size: requests.range_size().map(Into::into),
        transaction: requests.transaction(),
        protocol: Some(requests.protocol().as_str().to_owned()),
        session: session(config),
        cpus: cpus(&config.cpus),
    }
}

fn cpus(chosen: &CpuPlacement) -> Option<document::CpuPlacement> {
    (*chosen != CpuPlacement::default()).then(|| document::CpuPlacement {
        server: chosen.server.as_ref().map(ToString::to_string),
        client: chosen.client.as_ref().map(ToString::to_string),
    })
}

fn session(config: &RunConfig) -> BTreeMap<String, String> {
    let pair = |variable: &Variable| (variable.name().to_owned(), variable.value().to_owned());
    config.session.iter().map(pair).collect()
}

fn keys(config: &RunConfig) -> String {
    match config.requests.content() {
        Content::Script(_) => config.dataset.keys.to_string(),
        Content::Tpcc(_) => "nurand".into(),
        Content::File(_) => "custom".into(),
    }
}

/// Returns the number of tables, and their number of rows if all have the same.
fn tables(config: &RunConfig) -> (u32, Option<u64>) {
    match config.requests.content() {
        Content::Script(_) => (config.dataset.tables, Some(config.dataset.rows.into())),
        Content::Tpcc(_) => (TABLES.len() as u32, None),
        Content::File(custom) => {
            let mut rows: Vec<u64> = custom.table_rows().collect();
            let count = u32::try_from(rows.len()).unwrap_or(u32::MAX);
            rows.dedup();
            (count, <[u64; 1]>::try_from(rows).ok().map(|[rows]| rows))
        }
    }
}

/// Returns the requests by type, for a workload from a file.
fn kinds(config: &RunConfig, measured: &DriveResult) -> Vec<KindRow> {
    let Some(custom) = config.requests.custom() else {
        return Vec::new();
    };
    let kinds = custom.kinds().zip(&measured.kinds);
    kinds.map(|(name, kind)| kind_row(name, kind)).collect()
}

fn capacity(config: &RunConfig, measured: &Capacity) -> document::Capacity {
    document::Capacity {
        per_s: measured.per_s,
        parts_per_s: measured.parts_per_s.clone(),
        lasts: measured.lasts,
        connections: u32::try_from(config.connections.closed().get()).ok(),
    }
}

fn driver(config: &RunConfig, raw: &RunOutcome) -> Driver {
    let capacity = raw.capacity.as_ref().map(|measured| capacity(config, measured));
    let Some(measured) = &raw.measured else {
        let capacity_per_s = capacity.as_ref().map(|capacity| capacity.per_s);
        return Driver {
            offered_per_s: config.pacing.offered_per_s(config.duration, capacity_per_s),
            capacity,
            ..Driver::default()
        };
    };
    let traced = raw.snapshot.traced.as_ref();
    let over_time = traced.map(|traced| &traced.explained.breakdown.over_time);
    Driver {
        capacity,
        offered_per_s: measured.offered_per_s,
        achieved_per_s: measured.achieved_per_s,
        requests: measured.requests,
        done: measured.done,
        errors: by_code(&measured.errors),
        retries: by_code(&measured.retries),
        from_warmup: measured.from_warmup,
        late: measured.late,
        late_by_pacer: measured.lag_parts.late_by_pacer,
        queued: measured.queued,
        unsent: measured.unsent,
        unfinished: measured.unfinished,
        per_tenth: measured.per_tenth.clone(),
        backlog_max: measured.backlog_max,
        backlog_end: measured.backlog_end,
        cpu_ns: measured.client_cpu_ns,
        lag: Distribution::from(&measured.lag),
        pacer_lag: Distribution::from(&measured.lag_parts.pacer),
        connection_wait: Distribution::from(&measured.lag_parts.connection),
        service: Distribution::from(&measured.service),
        response: Distribution::from(&measured.response),
        response_with_failed: Distribution::from(&measured.response_with_failed),
        retrying: Distribution::from(&measured.retrying),
        outages: outages(measured),
        kinds: kinds(config, measured),
        steps: measured
            .steps
            .iter()
            .map(|step| step_row(step, measured, over_time))
            .collect(),
    }
}

fn step_row(step: &RateStep, measured: &DriveResult, over_time: Option<&OverTime>) -> StepRow {
    let since_start = |at_ns: u64| at_ns.saturating_sub(measured.window.start_ns);
    let part = TimeRange::new(since_start(step.range.start_ns), since_start(step.range.end_ns));
    StepRow {
        at: part.start_ns,
        length: step.range.length_ns(),
        from_per_s: step.from_per_s,
        to_per_s: step.to_per_s,
        requests: step.requests,
        done: step.done,
        lag: Distribution::from(&step.lag),
        service: Distribution::from(&step.service),
        response: Distribution::from(&step.response),
        commits: over_time.map(|over_time| StepCommits::of(over_time, part)),
    }
}

/// Returns the outages in the window. An outage that began before the window counts from its beginning.
fn outages(measured: &DriveResult) -> Vec<OutageRow> {
    let row = |outage: &Outage| {
        let start_ns = outage.start_ns.max(measured.window.start_ns);
        OutageRow {
            at: start_ns - measured.window.start_ns,
            length: outage.end_ns.map(|end_ns| end_ns.saturating_sub(start_ns)),
            connections: outage.connections,
            back: outage.back,
            cause: outage.cause.to_string(),
        }
    };
    measured.outages.iter().map(row).collect()
}

fn by_code(counts: &BTreeMap<u16, u64>) -> BTreeMap<String, u64> {
    let name = |code: u16| match code {
        DISCONNECTED => "disconnected".to_owned(),
        TIMED_OUT => "deadline".to_owned(),
        code => code.to_string(),
    };
    counts.iter().map(|(&code, &count)| (name(code), count)).collect()
}
