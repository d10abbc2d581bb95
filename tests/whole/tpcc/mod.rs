//! The TPC-C-like workload as a user runs it, on both servers.

mod deadlocks;

use std::thread::sleep;
use std::time::{Duration, Instant};

use crate::common::{Running, SERVERS, beside_others, driver, run, sum_of_parts, tells, workload};
use logtrace_common::Flavor;
use logtrace_laboratory::foreign::Foreign;
use logtrace_report::document::{CaveatKind, Document};
use logtrace_testkit::one_or_all;

const FLAVORS: [Flavor; 2] = [Flavor::MySql, Flavor::MariaDb];

/// Kinds that commit changes.
const COMMITTING: [&str; 3] = ["new_order", "payment", "delivery"];

#[test]
fn orders_are_counted_checked_and_their_commits_explained() {
    let _turn = beside_others();
    for server in SERVERS {
        let ran = run(&format!(
            "--workload tpcc --warehouses 1 --check --max --connections 4 --duration 4s --warmup 1s --server {server}"
        ));
        let document = ran.good();
        assert_orders(&document);
        assert_commits(&document);
        let workload = workload(&document);
        assert_eq!(
            (workload.keys.as_str(), workload.tables, workload.rows),
            ("nurand", 9, None)
        );
        let tpcc = document.tpcc.as_ref().unwrap();
        assert_eq!((tpcc.warehouses, tpcc.compat.as_str()), (1, "specification"));
        assert_eq!((tpcc.homes.as_str(), tpcc.keying_times), ("connection", false));
        assert_consistent(&document);
        for format in ["terminal", "html", "markdown"] {
            let report = ran.report(format);
            for words in ["NOPM", "stock level", "12 held after the load and after the run"] {
                assert!(report.replace("\n  ", " ").contains(words), "{format}: {report}");
            }
        }
        println!("{server}: NOPM {:.0}, {:?}", tpcc.nopm, driver(&document).retries);
    }
}

/// The server has as many new orders as were counted.
fn assert_orders(document: &Document) {
    let tpcc = document.tpcc.as_ref().unwrap();
    let orders = &tpcc.transactions[0];
    assert_eq!(tpcc.orders_grown, Some(tpcc.committed_orders));
    assert_eq!(tpcc.committed_orders, orders.done - orders.rolled_back);
    assert!(tpcc.nopm > 0.0 && tpcc.nopm_with_rollbacks >= tpcc.nopm);
    let done: u64 = tpcc.transactions.iter().map(|of| of.done).sum();
    assert_eq!(done, driver(document).done);
}

/// All conditions were checked, and met.
fn assert_consistent(document: &Document) {
    let consistency = &document.tpcc.as_ref().unwrap().consistency;
    let numbers: Vec<u64> = consistency.iter().map(|row| row.condition).collect();
    assert_eq!(numbers, [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12]);
    let is_met = |after_load, after_run| after_load == 0 && after_run == Some(0);
    let mut rows = consistency.iter();
    assert!(
        rows.all(|row| is_met(row.after_load, row.after_run)),
        "{consistency:#?}"
    );
}

/// Only what changes something is a commit.
fn assert_commits(document: &Document) {
    let tpcc = document.tpcc.as_ref().unwrap();
    let kinds = tpcc.transactions.iter();
    let committing = kinds.filter(|kind| COMMITTING.contains(&kind.name.as_str()));
    let changed: u64 = committing.map(|kind| kind.done - kind.rolled_back).sum();
    let commits = document.commits.as_ref().unwrap().count;
    let edges = u64::from(workload(document).connections) * 2;
    assert!(
        commits.abs_diff(changed) <= edges,
        "{commits} commits, {changed} changes"
    );
    let response = document.response.as_ref().unwrap();
    assert_eq!(sum_of_parts(response), response.total);
    assert_eq!(response.requests, driver(document).done);
}

#[test]
fn an_open_loop_draws_the_terminals_of_its_requests() {
    let _turn = beside_others();
    for server in one_or_all(&SERVERS) {
        let ran = run(&format!(
            "--workload tpcc --compat sysbench-tpcc --rate 40/s --connections 4 --duration 3s --warmup 500ms \
             --no-trace --server {server}"
        ));
        let document = ran.good();
        assert_orders(&document);
        let tpcc = document.tpcc.as_ref().unwrap();
        assert_eq!(
            (tpcc.homes.as_str(), tpcc.compat.as_str()),
            ("request", "sysbench-tpcc")
        );
        assert_eq!(workload(&document).protocol.as_deref(), Some("text"));
        assert!(tpcc.consistency.is_empty());
    }
}

#[test]
#[ignore = "long: tables of TPC-C are loaded once more"]
fn calls_of_stored_procedures_are_counted_and_their_commits_explained() {
    let _turn = beside_others();
    for server in one_or_all(&SERVERS) {
        let ran = run(&format!(
            "--workload tpcc --compat dbt2 --check --max --connections 4 --duration 4s --warmup 1s --server {server}"
        ));
        let document = ran.good();
        assert_orders(&document);
        assert_commits(&document);
        assert_consistent(&document);
        assert_eq!(document.tpcc.as_ref().unwrap().compat, "dbt2");
        assert_eq!(workload(&document).protocol.as_deref(), Some("procedures"));
    }
}

#[test]
fn tables_that_somebody_else_changes_degrade_the_run() {
    let _turn = beside_others();
    for &flavor in one_or_all(&FLAVORS) {
        let server = Foreign::start(flavor);
        let address = server.address("root");
        let running = Running::start(&format!(
            "run --workload tpcc --check --no-trace --rate 20/s --connections 2 --warmup 1s --duration 10s \
             --server {address}"
        ));
        // The warm-up makes some nine payments.
        wait_for_payments(&server, 30_000 + 25);
        server.tell("UPDATE logtrace.warehouse SET w_ytd = w_ytd + 1");
        server.tell("UPDATE logtrace.district SET d_next_o_id = d_next_o_id + 1 WHERE d_id = 4");
        let ran = running.ended();
        assert_eq!(ran.code(), Some(3), "{}", ran.stderr());
        let document = ran.document();
        assert!(
            tells(&document, &CaveatKind::Inconsistent) && tells(&document, &CaveatKind::OrderCount),
            "{:?}",
            document.caveats
        );
        let tpcc = document.tpcc.as_ref().unwrap();
        assert_eq!(tpcc.orders_grown, Some(tpcc.committed_orders + 1));
        let broken = tpcc.consistency.iter().filter(|row| row.after_run != Some(0));
        let broken: Vec<u64> = broken.map(|row| row.condition).collect();
        assert!(broken.starts_with(&[1]) && broken.contains(&8), "{broken:?}");
        let databases: Vec<String> = server.ask_all("SHOW DATABASES LIKE 'logtrace'");
        assert!(databases.is_empty(), "the tables are gone with the run");
    }
}

/// Waits until the server has more payments than this.
fn wait_for_payments(server: &Foreign, count: u64) {
    let tables = "SELECT COUNT(*) FROM information_schema.tables \
                  WHERE table_schema = 'logtrace' AND table_name = 'history'";
    let start = Instant::now();
    // Loading takes minutes where other tests take the CPUs.
    while start.elapsed() < Duration::from_secs(300) {
        let has_table = server.ask::<u64>(tables) == 1;
        if has_table && server.ask::<u64>("SELECT COUNT(*) FROM logtrace.history") > count {
            return;
        }
        sleep(Duration::from_millis(50));
    }
    panic!("no payments come");
}
