//! System calls on files: by class for a short report, by path for a long one.

use logtrace_common::FileClass;
use std::cmp::Reverse;
use std::collections::BTreeMap;

use logtrace_events::IoOp;

use crate::document::{Document, FileRow};
use crate::render::table::Table;
use crate::units;

/// All files of one class, for one operation.
#[derive(Default)]
struct ClassLine {
    files: u64,
    calls: u64,
    bytes: u64,
    total: u64,
    p99: u64,
    journal_waits: u64,
    flush_waits: u64,
}

/// One row for each class and operation, the longest total first; `None` when no file was used.
pub(crate) fn by_class(document: &Document) -> Option<Table> {
    let mut classes: BTreeMap<(FileClass, IoOp), ClassLine> = BTreeMap::new();
    for row in &document.files {
        classes.entry((row.class, row.op)).or_default().add(row);
    }
    let commits = document.commits.as_ref().map_or(0, |commits| commits.count);
    let mut lines: Vec<_> = classes.into_iter().collect();
    lines.sort_by_key(|(_, line)| Reverse(line.total));
    let rows = lines.iter().map(|((class, op), line)| {
        let mut cells = vec![class.to_string(), op.to_string()];
        cells.extend(line.cells(*op, commits));
        cells
    });
    table(
        vec![
            "file",
            "op",
            "files",
            "calls",
            "a commit",
            "mean",
            "p99",
            "bytes a call",
            "journal",
            "flush",
        ],
        2,
        rows.collect(),
    )
}

/// One row for each path and operation, in the order of the document; `None` when no file was used.
pub(crate) fn by_path(document: &Document) -> Option<Table> {
    let rows = document.files.iter().map(|row| {
        vec![
            row.class.to_string(),
            row.path.clone(),
            row.op.to_string(),
            units::count(row.count),
            average(row.total, row.count, units::duration),
            units::duration(row.distribution.p50),
            units::duration(row.distribution.p99),
            units::duration(row.distribution.max),
            units::duration(row.total),
            written(row.op, units::bytes(row.bytes)),
        ]
    });
    table(
        vec![
            "file", "path", "op", "calls", "mean", "p50", "p99", "max", "total", "bytes",
        ],
        3,
        rows.collect(),
    )
}

impl ClassLine {
    fn add(&mut self, row: &FileRow) {
        self.files += 1;
        self.calls = self.calls.saturating_add(row.count);
        self.bytes = self.bytes.saturating_add(row.bytes);
        self.total = self.total.saturating_add(row.total);
        self.p99 = self.p99.max(row.distribution.p99);
        self.journal_waits = self.journal_waits.saturating_add(row.journal_waits);
        self.flush_waits = self.flush_waits.saturating_add(row.flush_waits);
    }

    fn cells(&self, op: IoOp, commits: u64) -> [String; 8] {
        // The 99th percentile of several files together is at most the largest of theirs.
        let bound = if self.files > 1 { "≤ " } else { "" };
        [
            units::count(self.files),
            units::count(self.calls),
            per_commit(self.calls, commits),
            average(self.total, self.calls, units::duration),
            format!("{bound}{}", units::duration(self.p99)),
            written(op, average(self.bytes, self.calls, units::bytes)),
            self.waited(op, self.journal_waits),
            self.waited(op, self.flush_waits),
        ]
    }

    /// The share of the syncs that waited for something.
    fn waited(&self, op: IoOp, waits: u64) -> String {
        match (op, units::share(waits, self.calls)) {
            (IoOp::Fsync, Some(share)) => format!("{:.0} %", share * 100.0),
            _ => "-".to_owned(),
        }
    }
}

/// One row for each device that flushed its cache; `None` where none was seen to.
pub(crate) fn by_device(document: &Document) -> Option<Table> {
    let commits = document.commits.as_ref().map_or(0, |commits| commits.count);
    let rows = document.devices.iter().map(|row| {
        vec![
            row.device.clone(),
            units::count(row.flushes),
            per_commit(row.flushes, commits),
            average(row.total, row.flushes, units::duration),
            units::duration(row.distribution.p50),
            units::duration(row.distribution.p99),
        ]
    });
    table(
        vec!["device", "flushes", "a commit", "mean", "p50", "p99"],
        1,
        rows.collect(),
    )
}

/// What a call wrote; a sync writes nothing of its own.
fn written(op: IoOp, bytes: String) -> String {
    match op {
        IoOp::Write => bytes,
        IoOp::Fsync => "-".to_owned(),
    }
}

fn average(total: u64, count: u64, unit: fn(u64) -> String) -> String {
    units::mean(total, count).map_or_else(|| "-".to_owned(), unit)
}

fn per_commit(calls: u64, commits: u64) -> String {
    match units::share(calls, commits) {
        None => "-".to_owned(),
        Some(share) if share < 0.01 => "< 0.01".to_owned(),
        Some(share) => format!("{share:.2}"),
    }
}

fn table(header: Vec<&'static str>, words: usize, rows: Vec<Vec<String>>) -> Option<Table> {
    (!rows.is_empty()).then_some(Table { header, words, rows })
}
