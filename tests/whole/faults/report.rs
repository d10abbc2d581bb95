//! Run directories that are none, or no longer.

use std::fs;

use super::fixture::home::{Home, SHORT};
use super::fixture::started::Started;
use crate::common::beside_others;

#[test]
fn the_last_run_and_a_page_are_reported_too() {
    let _turn = beside_others();
    let home = Home::new();
    let report = |arguments: &str| {
        let command = home.logtrace(&format!("report {arguments}"));
        Started::new(command, home.path()).ended()
    };
    report("").refused(1, &["no run in logtrace-runs", "name a run directory"]);
    home.run(&format!("{SHORT} --server mariadb")).measured();
    let dir = home.run_dirs().pop().unwrap();
    let name = dir.file_name().unwrap().to_str().unwrap();
    let last = report("--format json");
    assert_eq!(last.code, Some(0), "{}", last.stderr);
    assert_eq!(last.stderr, format!("the last run: logtrace-runs/{name}\n"));
    assert_eq!(last.stdout, fs::read_to_string(dir.join("run.json")).unwrap());
    let page = dir.join("report.html");
    let page = page.display();
    for format in ["terminal", "markdown", "json", "csv"] {
        let of_page = report(&format!("{page} --format {format}"));
        assert_eq!(of_page.code, Some(0), "{format}: {}", of_page.stderr);
        assert_eq!(
            of_page.stdout,
            report(&format!("--format {format}")).stdout,
            "{format}"
        );
    }
    for arguments in [
        "--format html",
        "--format folded",
        "--format parquet",
        "--format perfetto --whole",
        "--explain-again",
    ] {
        report(&format!("{page} {arguments}")).refused(1, &["is a page", "Name the run directory"]);
    }
    let written = report("--format markdown --out of-run.md");
    assert_eq!(
        (written.code, written.stdout.as_str()),
        (Some(0), ""),
        "{}",
        written.stderr
    );
    let text = fs::read_to_string(home.path().join("of-run.md")).unwrap();
    assert_eq!(text, report("--format markdown").stdout);
    report("--format json --out no/such/file").refused(1, &["cannot write no/such/file", "--out PATH"]);
}
