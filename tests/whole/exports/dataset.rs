//! Runs of real servers as a data set: each table sums to `run.json`.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::path::{Path, PathBuf};

use logtrace_report::document::{CauseRow, Document};
use logtrace_testkit::one_or_all;
use parquet::file::reader::SerializedFileReader;
use parquet::record::{Field, Row};

use crate::common::{Ran, SERVERS, beside_others, driver, logtrace, printed, run};

/// Collects a run at a level.
fn collect(ran: &Ran, dataset: &Path, level: &str) {
    let mut command = logtrace();
    command.arg("collect").arg(ran.file(""));
    command.arg("--out").arg(dataset).args(["--level", level]);
    let said = printed(&mut command);
    assert!(said.contains(" rows"), "{said}");
}

/// Files of Parquet below a directory.
fn files(below: &Path) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(below) else {
        return Vec::new();
    };
    let paths = entries.map(|entry| entry.unwrap().path());
    paths
        .flat_map(|path| match path.is_dir() {
            true => files(&path),
            false => vec![path],
        })
        .collect()
}

/// Rows of a table.
fn rows(dataset: &Path, table: &str) -> Vec<Row> {
    let files = files(&dataset.join(table));
    let readers = files
        .iter()
        .map(|path| SerializedFileReader::new(File::open(path).unwrap()).unwrap());
    readers
        .flat_map(|reader| reader.into_iter().map(Result::unwrap).collect::<Vec<Row>>())
        .collect()
}

fn field<'a>(row: &'a Row, name: &str) -> &'a Field {
    let mut columns = row.get_column_iter();
    columns.find(|column| column.0 == name).unwrap().1
}

fn number(row: &Row, name: &str) -> u64 {
    match field(row, name) {
        Field::Long(number) => u64::try_from(*number).unwrap(),
        other => panic!("{name} is {other}"),
    }
}

/// Sums of a column by cause, as words.
fn by_cause(dataset: &Path, table: &str, column: &str) -> BTreeMap<String, u64> {
    let mut sums = BTreeMap::new();
    for row in rows(dataset, table) {
        let words = ["who", "file", "op", "wait"].map(|name| match field(&row, name) {
            Field::Str(word) => word.clone(),
            _ => String::new(),
        });
        *sums.entry(words.join("|")).or_default() += number(&row, column);
    }
    sums
}

fn causes(document: &Document) -> BTreeMap<String, u64> {
    let words = |row: &CauseRow| {
        let (file, op) = row.cause.io.unzip();
        let file = file.map_or(String::new(), |file| file.to_string());
        let op = op.map_or(String::new(), |op| op.to_string());
        format!("{}|{file}|{op}|{}", row.cause.who, row.cause.wait)
    };
    let rows = document.causes.iter();
    rows.map(|row| (words(row), row.total)).collect()
}

#[test]
fn tables_of_a_recorded_run_sum_to_its_document() {
    let _turn = beside_others();
    for server in one_or_all(&SERVERS) {
        let ran = run(&format!(
            "--server {server} --rate 300/s --duration 3s --warmup 500ms --rows 2000 --record"
        ));
        let document = ran.good();
        let dataset = tempfile::tempdir().unwrap();
        let dataset = dataset.path();
        collect(&ran, dataset, "segments");
        let expected = causes(&document);
        for (table, column) in [
            ("causes", "total_ns"),
            ("seconds", "total_ns"),
            ("segments", "dur_ns"),
        ] {
            assert_eq!(by_cause(dataset, table, column), expected, "{server}: {table}");
        }
        let commits = document.commits.as_ref().unwrap();
        let of_commits = rows(dataset, "commits");
        assert_eq!(of_commits.len() as u64, commits.count, "{server}");
        let total: u64 = of_commits.iter().map(|row| number(row, "dur_ns")).sum();
        assert_eq!(total, commits.total, "{server}");
        let of_requests = rows(dataset, "requests");
        assert_eq!(of_requests.len() as u64, driver(&document).requests, "{server}");
        let histograms = rows(dataset, "histograms");
        let of = |metric: &str| {
            let of = |row: &&Row| matches!(field(row, "metric"), Field::Str(name) if name == metric);
            let counts = histograms.iter().filter(of).map(|row| number(row, "count"));
            counts.sum::<u64>()
        };
        assert_eq!(of("commit"), commits.count, "{server}");
        for metric in ["lag", "service", "response"] {
            assert_eq!(of(metric), driver(&document).done, "{server}: {metric}");
        }
        let settings = rows(dataset, "settings");
        assert_eq!(settings.len(), document.server.settings.len(), "{server}");

        // A run that is collected again replaces itself, at a lower level too.
        collect(&ran, dataset, "runs");
        assert_eq!(rows(dataset, "runs").len(), 1, "{server}");
        assert_eq!(rows(dataset, "commits").len(), 0, "{server}");
    }
}

#[test]
fn a_run_without_a_recording_has_no_commits_and_a_directory_without_a_run_changes_nothing() {
    let _turn = beside_others();
    let ran = run("--server mariadb --rate 100/s --duration 2s --warmup 100ms --rows 1000");
    ran.good();
    let place = tempfile::tempdir().unwrap();
    let dataset = place.path().join("dataset");
    let collect = |more: &Path| {
        let mut command = logtrace();
        command.arg("collect").arg(ran.file("")).arg(more);
        command.arg("--out").arg(&dataset).args(["--level", "commits"]);
        command.output().unwrap()
    };
    let refused = collect(place.path());
    assert_eq!(refused.status.code(), Some(1));
    assert!(!dataset.exists());
    // The same run twice is one.
    let collected = collect(&ran.file(""));
    let said = String::from_utf8(collected.stderr).unwrap();
    assert_eq!(collected.status.code(), Some(3), "{said}");
    assert!(said.contains("--record"), "{said}");
    assert_eq!(rows(&dataset, "runs").len(), 1);
    assert!(rows(&dataset, "commits").is_empty());
}
