//! Tables of an invented run, read back: everything sums to the run's totals.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;

use logtrace_attribution::breakdown::Breakdown;
use logtrace_attribution::recorded::{RecordedWindow, explain_recording};
use logtrace_common::{Flavor, TimeRange};
use logtrace_dataset::{DatasetTable, ExportError, ExportLevel, RunToExport, export};
use logtrace_events::{Clocks, Outcome, RecordingReader, Request, RequestsOfRun};
use logtrace_report::document::{Document, Server};
use logtrace_testkit::synthetic::{recording, stated_group_commits};
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::record::{Field, Row};
use tempfile::TempDir;

/// An invented run with its recording.
struct Invented {
    recording: Vec<u8>,
    breakdown: Breakdown,
    document: Document,
}

/// Tables of a run, on disk.
struct Tables(TempDir);

impl Invented {
    fn new() -> Self {
        let recording = recording(&stated_group_commits(8, 200)).unwrap();
        let reader = RecordingReader::new(&recording[..]).unwrap();
        let breakdown = explain_recording(reader, RecordedWindow::Measured, &[])
            .unwrap()
            .breakdown;
        let document = document(&breakdown);
        Self {
            recording,
            breakdown,
            document,
        }
    }

    fn export(&self, level: ExportLevel) -> Result<Tables, ExportError> {
        let tables = Tables(tempfile::tempdir().unwrap());
        let requests = requests();
        let run = RunToExport {
            document: &self.document,
            over_time: Some(&self.breakdown.over_time),
            recording: Some(RecordingReader::new(&self.recording[..]).unwrap()),
            requests: Some(&requests),
        };
        export(run, level, |table| {
            File::create(tables.0.path().join(table.to_string()))
        })?;
        Ok(tables)
    }
}

impl Tables {
    /// The rows of a table, if it is there.
    fn rows(&self, table: DatasetTable) -> Option<Vec<Row>> {
        let file = File::open(self.0.path().join(table.to_string())).ok()?;
        let reader = SerializedFileReader::new(file).unwrap();
        Some(reader.get_row_iter(None).unwrap().map(Result::unwrap).collect())
    }

    /// Sums of a column by cause.
    fn by_cause(&self, table: DatasetTable, column: &str) -> BTreeMap<Vec<String>, i64> {
        let mut sums = BTreeMap::new();
        for row in self.rows(table).unwrap() {
            let cause = ["who", "file", "op", "wait", "kind"].map(|name| field(&row, name).to_string());
            *sums.entry(cause.to_vec()).or_default() += number(&row, column);
        }
        sums
    }
}

fn field<'a>(row: &'a Row, name: &str) -> &'a Field {
    let mut columns = row.get_column_iter();
    columns.find(|column| column.0 == name).unwrap().1
}

fn number(row: &Row, name: &str) -> i64 {
    match field(row, name) {
        Field::Long(number) => *number,
        other => panic!("{name} is {other}"),
    }
}

fn sum(rows: &[Row], name: &str) -> i64 {
    rows.iter().map(|row| number(row, name)).sum()
}

fn document(breakdown: &Breakdown) -> Document {
    let server = Server {
        flavor: Flavor::MariaDb,
        version: "11.4.5".to_owned(),
        private: true,
        binary: None,
        control_group: None,
        container: None,
        file_system: "ext4".to_owned(),
        device: "/dev/vda".to_owned(),
        image: None,
        placement: Vec::new(),
        settings: [("sync_binlog".to_owned(), "1".to_owned())].into(),
    };
    Document {
        logtrace: "0.1.0".to_owned(),
        commits: Some(breakdown.commits.clone()),
        causes: breakdown.causes.clone(),
        ..Document::new("2026-01-02T03:04:05Z".to_owned(), server)
    }
}

fn requests() -> RequestsOfRun {
    let request = |due_ns, outcome| Request {
        due_ns,
        connection_wait_ns: 0,
        sent_ns: due_ns + 5,
        attempt_ns: due_ns + 5,
        done_ns: due_ns + 100,
        outcome,
        retries: 0,
        thread: Some(100),
    };
    RequestsOfRun {
        window: TimeRange::new(1000, 2000),
        clocks: Clocks::default(),
        // The first was due in the warm-up.
        requests: vec![
            request(990, Outcome::Done),
            request(1500, Outcome::ServerError(1205)),
        ],
    }
}

#[test]
fn all_tables_sum_to_the_totals_of_the_run() {
    let invented = Invented::new();
    let commits = invented.document.commits.as_ref().unwrap();
    let (count, total) = (i64::try_from(commits.count), i64::try_from(commits.total));
    let (count, total) = (count.unwrap(), total.unwrap());
    assert!(count >= 1600 && total > 0);
    let tables = invented.export(ExportLevel::Segments).unwrap();

    let run = &tables.rows(DatasetTable::Runs).unwrap()[0];
    assert_eq!((number(run, "commits"), number(run, "commit_ns")), (count, total));
    let started = Field::TimestampMicros(1_767_323_045_000_000);
    assert_eq!(*field(run, "started_at"), started);
    assert_eq!(*field(run, "workload"), Field::Null);

    let causes = tables.by_cause(DatasetTable::Causes, "total_ns");
    assert_eq!(causes.values().sum::<i64>(), total);
    assert_eq!(tables.by_cause(DatasetTable::Seconds, "total_ns"), causes);
    assert_eq!(tables.by_cause(DatasetTable::Segments, "dur_ns"), causes);
    let kinds = causes.keys().map(|cause| cause[4].as_str());
    let kinds: BTreeSet<&str> = kinds.collect();
    assert!(kinds.contains("\"storage\"") && kinds.len() > 1, "{kinds:?}");
    let histograms = tables.rows(DatasetTable::Histograms).unwrap();
    let of_commits = histograms
        .into_iter()
        .filter(|row| field(row, "metric").to_string().contains("commit"));
    let of_commits: Vec<Row> = of_commits.collect();
    assert_eq!(sum(&of_commits, "count"), count);
}

#[test]
fn the_parts_of_each_commit_sum_to_it() {
    let tables = Invented::new().export(ExportLevel::Segments).unwrap();
    let mut parts: BTreeMap<i64, i64> = BTreeMap::new();
    for segment in tables.rows(DatasetTable::Segments).unwrap() {
        let so_far = parts.entry(number(&segment, "commit_id")).or_default();
        assert_eq!(number(&segment, "offset_ns"), *so_far, "one after another");
        *so_far += number(&segment, "dur_ns");
    }
    let who = [
        "own_ns",
        "leader_ns",
        "previous_group_ns",
        "session_ns",
        "background_ns",
    ];
    let commits = tables.rows(DatasetTable::Commits).unwrap();
    for commit in &commits {
        let dur_ns = number(commit, "dur_ns");
        assert_eq!(number(commit, "end_ns") - number(commit, "start_ns"), dur_ns);
        assert_eq!(parts[&number(commit, "commit_id")], dur_ns);
        assert_eq!(who.iter().map(|name| number(commit, name)).sum::<i64>(), dur_ns);
    }
    let led = |commit: &&Row| *field(commit, "leader_tid") != Field::Null;
    let led = commits.iter().filter(led).count();
    assert!(led > 0 && led < commits.len(), "{led} of {}", commits.len());
}

#[test]
fn each_stack_of_a_segment_is_listed_once() {
    let tables = Invented::new().export(ExportLevel::Segments).unwrap();
    let stacks = tables.rows(DatasetTable::Stacks).unwrap();
    let frames: BTreeMap<i64, String> = stacks
        .iter()
        .map(|row| (number(row, "stack_id"), field(row, "frames").to_string()))
        .collect();
    assert_eq!(frames.len(), stacks.len());
    assert!(
        frames
            .values()
            .any(|frames| frames.contains("jbd2_log_wait_commit"))
    );
    let mut used = 0;
    for segment in tables.rows(DatasetTable::Segments).unwrap() {
        if let Field::Long(stack) = field(&segment, "stack_id") {
            assert!(frames.contains_key(stack));
            used += 1;
        }
    }
    assert!(used > 0);
}

#[test]
fn times_of_requests_are_since_the_window_began() {
    let tables = Invented::new().export(ExportLevel::Commits).unwrap();
    let requests = tables.rows(DatasetTable::Requests).unwrap();
    let due: Vec<i64> = requests.iter().map(|row| number(row, "due_ns")).collect();
    assert_eq!(due, [-10, 500]);
    assert_eq!(*field(&requests[0], "error"), Field::Null);
    assert_eq!(number(&requests[1], "error"), 1205);
}

#[test]
fn a_level_has_its_tables_and_those_before_it() {
    use strum::IntoEnumIterator;
    let invented = Invented::new();
    for level in [
        ExportLevel::Runs,
        ExportLevel::Seconds,
        ExportLevel::Commits,
        ExportLevel::Segments,
    ] {
        let tables = invented.export(level).unwrap();
        for table in DatasetTable::iter() {
            let is_there = tables.rows(table).is_some();
            assert_eq!(is_there, table.level() <= level, "{table} at {level}");
        }
    }
}

#[test]
fn a_recording_of_another_run_is_refused() {
    let mut invented = Invented::new();
    invented.document.commits.as_mut().unwrap().count += 1;
    let refused = invented.export(ExportLevel::Commits);
    assert!(matches!(refused, Err(ExportError::Imbalance { .. })));
}
