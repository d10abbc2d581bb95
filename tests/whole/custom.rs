//! A workload from a file as a user runs it, on both servers.

use std::fs;

use crate::common::{SERVERS, beside_others, done_in_window, driver, run, sum_of_parts, workload};
use logtrace_report::document::Document;
use logtrace_testkit::one_or_all;

const EXAMPLE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/workloads/transfer.toml");

#[test]
fn the_example_runs_and_its_requests_are_counted_by_kind() {
    let _turn = beside_others();
    for server in one_or_all(&SERVERS) {
        let ran = run(&format!(
            "--workload {EXAMPLE} --connections 4 --rate 200/s --duration 3s --warmup 500ms --server {server}"
        ));
        let document = ran.good();
        assert_kinds(&document);
        let told = workload(&document);
        assert_eq!(
            (told.name.as_str(), told.keys.as_str(), told.tables, told.rows),
            ("transfer.toml", "custom", 2, None)
        );
        assert_eq!(
            (told.transaction, told.protocol.as_deref()),
            (false, Some("prepared"))
        );
        assert_transfers_alone_commit(&document);
        let kept = fs::read_to_string(ran.file("workload.toml")).unwrap();
        assert_eq!(kept, fs::read_to_string(EXAMPLE).unwrap());
        let response = document.response.as_ref().unwrap();
        assert_eq!(sum_of_parts(response), response.total);
        for format in ["terminal", "html", "markdown"] {
            let report = ran.report(format);
            assert!(
                report.contains("transfer.toml on ") && report.contains("balance"),
                "{format}: {report}"
            );
        }
    }
}

/// Those that were done only after the window may all have been transfers, or none.
fn assert_transfers_alone_commit(document: &Document) {
    let commits = document.commits.as_ref().unwrap().count;
    let driver = driver(document);
    let transfers = driver.kinds[0].done;
    let after = driver.done.saturating_sub(done_in_window(document));
    let edges = 2 * u64::from(workload(document).connections);
    let may_be = transfers.saturating_sub(after + edges)..=transfers + edges;
    assert!(
        may_be.contains(&commits),
        "{commits} commits, {transfers} transfers, {after} requests after the window"
    );
}

/// Three of four are transfers.
fn assert_kinds(document: &Document) {
    let driver = driver(document);
    let kinds: Vec<&str> = driver.kinds.iter().map(|kind| kind.name.as_str()).collect();
    assert_eq!(kinds, ["transfer", "balance"]);
    let done: u64 = driver.kinds.iter().map(|kind| kind.done).sum();
    assert_eq!((done, driver.errors.len()), (driver.done, 0));
    let share = driver.kinds[0].done as f64 / done as f64;
    let error = (0.75 * 0.25 / done as f64).sqrt();
    assert!((share - 0.75).abs() < 5.0 * error, "{share} of {done}");
}

#[test]
fn the_capacity_is_measured_without_the_numbers_of_the_run() {
    let _turn = beside_others();
    for server in one_or_all(&SERVERS) {
        let document = run(&format!(
            "--workload {EXAMPLE} --protocol text --connections 4 --rate 20% --duration 2s --warmup 500ms --no-trace \
             --server {server}"
        ))
        .good();
        assert!(driver(&document).capacity.as_ref().unwrap().per_s > 0.0);
        // A number that came twice would be a duplicate key.
        assert_kinds(&document);
    }
}
