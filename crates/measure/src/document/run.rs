//! Document of a run; pure.

use std::collections::BTreeMap;

use logtrace_attribution::breakdown::{ColumnSums, HeatCells, RequestCells};
use logtrace_common::{Connection, Variable};
use logtrace_driver::tpcc::TABLES;
use logtrace_driver::{Content, DriveResult};
use logtrace_report::document::{self, Document, Workload};

use crate::config::cpu_placement::CpuPlacement;
use crate::config::run_config::RunConfig;
use crate::document::caveats::run::caveats;
use crate::document::driver::driver;
use crate::document::results::Results;
use crate::document::storage_labels::placement;
use crate::document::{base, tpcc};
use crate::outcome::run_outcome::RunOutcome;

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
    let mut document = base::document(started, &raw.snapshot, chosen);
    document.server.placement = placement(&config.storage.placements, raw.snapshot.host.as_ref());
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

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use logtrace_attribution::breakdown::ColumnSum;
    use logtrace_common::TimeRange;
    use logtrace_driver::{EndReason, RequestsOverTime};
    use logtrace_report::document::CaveatKind;
    use logtrace_server::Cpus;

    use super::*;
    use crate::samples::{SECOND_NS, STARTED, measured, run_config, run_outcome};

    #[test]
    fn a_run_without_a_caveat_is_not_degraded_and_adds_up() {
        let results = results(&run_config("update_key"), STARTED, run_outcome());
        assert_eq!(results.document.caveats, []);
        assert!(!results.document.is_degraded());
        assert_eq!(results.document.check(), Ok(()));
    }

    #[test]
    fn a_lost_server_leaves_what_was_measured_until_then_and_degrades_the_run() {
        let mut raw = run_outcome();
        let driven = raw.measured.as_mut().unwrap();
        driven.ended = EndReason::ServerGone;
        (driven.requests, driven.done, driven.unfinished) = (500, 400, 8);
        driven.per_tenth = vec![100; 4];
        let document = results(&run_config("update_key"), STARTED, raw).document;
        let kinds: Vec<&CaveatKind> = document.caveats.iter().map(|caveat| &caveat.kind).collect();
        assert_eq!(kinds, [&CaveatKind::ServerDied, &CaveatKind::Unfinished]);
        assert!(document.is_degraded());
        assert_eq!(document.check(), Ok(()));
        assert_eq!(document.driver.unwrap().done, 400);
        assert_eq!(document.commits.unwrap().count, 200);
    }

    #[test]
    fn an_interrupted_run_is_told_and_not_degraded() {
        let mut raw = run_outcome();
        raw.measured.as_mut().unwrap().ended = EndReason::Interrupted;
        let document = results(&run_config("update_key"), STARTED, raw).document;
        assert_eq!(document.caveats[0].kind, CaveatKind::Interrupted);
        assert!(!document.is_degraded());
    }

    #[test]
    fn requests_are_in_the_columns_of_their_times() {
        let mut raw = run_outcome();
        let mut driven = measured();
        driven.over_time = RequestsOverTime::new(SECOND_NS);
        for at_ns in [SECOND_NS, SECOND_NS + 250_000_000] {
            driven.over_time.response.add(at_ns, 1_000_000);
            *driven.over_time.due.sum_at(at_ns, ()) += 1;
        }
        let wait = TimeRange::new(SECOND_NS + 50_000_000, SECOND_NS + 150_000_000);
        driven.over_time.backlog.add(wait);
        raw.measured = Some(driven);
        let over_time = results(&run_config("update_key"), STARTED, raw)
            .over_time()
            .unwrap();
        let requests = over_time.requests.unwrap();
        assert_eq!(requests.response.count(), 2);
        let columns = requests.response.cells.iter().map(|cell| cell.column);
        let columns: Vec<u64> = columns
            .map(|column| column * requests.response.column_ns)
            .collect();
        assert_eq!(columns, [0, 200_000_000]);
        let due = requests.due.unwrap();
        assert_eq!(due.cells.iter().map(|cell| cell.sum).sum::<u64>(), 2);
        let halves = [0, 1].map(|column| ColumnSum {
            column,
            sum: 50_000_000,
        });
        assert_eq!(requests.backlog.unwrap().cells, halves);
        assert_eq!((requests.lag.count(), requests.service.count()), (0, 0));
    }

    #[test]
    fn each_content_has_its_tables_and_keys() {
        let workload = |name: &str| {
            let workload = workload(&run_config(name), &run_outcome());
            (workload.tables, workload.rows, workload.keys)
        };
        assert_eq!(workload("update_key"), (2, Some(1_000), "uniform".to_owned()));
        assert_eq!(workload("tpcc"), (9, None, "nurand".to_owned()));
    }

    #[test]
    fn options_of_the_load_are_told() {
        let mut config = run_config("update_key");
        let plain = workload(&config, &run_outcome());
        assert_eq!((plain.deadline, plain.spin, plain.cpus), (None, false, None));
        config.deadline = Some(Duration::from_secs(10));
        config.spin = true;
        config.cpus.server = Some("0".parse::<Cpus>().unwrap());
        config.session = vec!["sql_log_bin=0".parse().unwrap()];
        let told = workload(&config, &run_outcome());
        assert_eq!((told.deadline, told.spin), (Some(10_000_000_000), true));
        assert_eq!(told.session["sql_log_bin"], "0");
        let cpus = told.cpus.unwrap();
        assert_eq!((cpus.server.as_deref(), cpus.client), (Some("0"), None));
    }
}
