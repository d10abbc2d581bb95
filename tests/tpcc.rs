//! The TPC-C-like workload as a user runs it, on both servers.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod common;

use common::{SERVERS, alone, driver, run, sum_of_parts, workload};
use logtrace_report::document::Document;

/// Kinds that commit changes.
const COMMITTING: [&str; 3] = ["new_order", "payment", "delivery"];

#[test]
fn orders_are_counted_checked_and_their_commits_explained() {
    let _alone = alone();
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
        let numbers: Vec<u64> = tpcc.consistency.iter().map(|row| row.condition).collect();
        assert_eq!(numbers, [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12]);
        let is_met = |after_load, after_run| after_load == 0 && after_run == Some(0);
        assert!(
            tpcc.consistency
                .iter()
                .all(|row| is_met(row.after_load, row.after_run))
        );
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
    let _alone = alone();
    for server in SERVERS {
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
