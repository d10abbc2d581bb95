//! System calls on files and flushes of devices.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use logtrace_common::{FileClass, units};
use logtrace_events::IoOp;

use crate::document::{Disk, Document, FileRow};
use crate::render::table::Table;

/// Returns system calls by class and operation, the longest total first, or `None` if no file was used.
pub(crate) fn by_class(document: &Document) -> Option<Table> {
    let mut classes: BTreeMap<(FileClass, IoOp), Vec<&FileRow>> = BTreeMap::new();
    for row in document.files() {
        classes.entry((row.class, row.op)).or_default().push(row);
    }
    let commits = commit_count(document);
    let mut classes: Vec<_> = classes.into_iter().collect();
    classes.sort_by_key(|(_, files)| Reverse(units::sum(files.iter().map(|file| file.total))));
    let rows = classes.iter().map(|((class, op), files)| {
        let sum = |value: fn(&FileRow) -> u64| units::sum(files.iter().map(|file| value(file)));
        let calls = sum(|file| file.count);
        // The 99th percentile of several files together is at most the largest of theirs.
        let bound = if files.len() > 1 { "≤ " } else { "" };
        let p99 = files.iter().map(|file| file.distribution.p99).max().unwrap_or(0);
        let waited = |waits| match op {
            IoOp::Write | IoOp::Read => "-".to_owned(),
            IoOp::Fsync => units::whole_percent(waits, calls),
        };
        vec![
            class.to_string(),
            op.to_string(),
            units::count(sum(|file| file.files)),
            units::count(calls),
            per_commit(calls, commits),
            units::mean_duration(sum(|file| file.total), calls),
            format!("{bound}{}", units::duration(p99)),
            written(*op, units::mean(sum(|file| file.bytes), calls)),
            waited(sum(|file| file.journal_waits)),
            waited(sum(|file| file.flush_waits)),
        ]
    });
    let header = [
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
    ];
    Table::new(2, header, rows)
}

/// Returns system calls by path and operation, in the order of the document, or `None` if no file was used.
pub(crate) fn by_path(document: &Document) -> Option<Table> {
    let rows = document.files().iter().map(|row| {
        vec![
            row.class.to_string(),
            row.path.clone(),
            row.op.to_string(),
            units::count(row.count),
            units::mean_duration(row.total, row.count),
            units::duration(row.distribution.p50),
            units::duration(row.distribution.p99),
            units::duration(row.distribution.max),
            units::duration(row.total),
            written(row.op, Some(row.bytes)),
        ]
    });
    let header = [
        "file", "path", "op", "calls", "mean", "p50", "p99", "max", "total", "bytes",
    ];
    Table::new(3, header, rows)
}

/// Returns the flushes of each device's write cache, and the disks of the server that have no cache to flush; `None` if
/// there is neither, or flushes were not traced.
pub(crate) fn by_device(document: &Document) -> Option<Table> {
    let devices = document.devices.as_ref()?;
    let commits = commit_count(document);
    let disks = document.host.iter().flat_map(|host| &host.disks);
    let flushed = devices.iter().map(|row| {
        let disk = disks.clone().find(|disk| disk.number == row.device);
        vec![
            disk.map_or_else(|| row.device.clone(), disk_name),
            units::count(row.flushes),
            per_commit(row.flushes, commits),
            units::mean_duration(row.total, row.flushes),
            units::duration(row.distribution.p50),
            units::duration(row.distribution.p99),
        ]
    });
    let is_flushed = |disk: &&Disk| devices.iter().any(|row| row.device == disk.number);
    let cacheless = disks
        .clone()
        .filter(|disk| disk.write_cache == "write through" && !is_flushed(disk));
    let cacheless = cacheless.map(|disk| {
        let name = format!("{}: no write cache to flush", disk_name(disk));
        [vec![name], vec!["-".to_owned(); 5]].concat()
    });
    let rows = flushed.chain(cacheless);
    let header = ["device", "flushes", "a commit", "mean", "p50", "p99"];
    Table::new(1, header, rows)
}

/// Returns the name of a disk, with the device whose part it is: a flush of a mirror is one of each of its legs.
fn disk_name(disk: &Disk) -> String {
    match &disk.leg_of {
        Some(above) => format!("{}, leg of {above}", disk.name),
        None => disk.name.clone(),
    }
}

fn commit_count(document: &Document) -> u64 {
    document.commits.as_ref().map_or(0, |commits| commits.count)
}

/// Formats the bytes of writes; a sync writes none of its own.
fn written(op: IoOp, bytes: Option<u64>) -> String {
    let bytes = bytes.filter(|_| op == IoOp::Write);
    bytes.map_or_else(|| "-".to_owned(), units::bytes)
}

fn per_commit(calls: u64, commits: u64) -> String {
    match units::share(calls, commits) {
        None => "-".to_owned(),
        Some(share) if share < 0.01 => "< 0.01".to_owned(),
        Some(share) => format!("{share:.2}"),
    }
}
