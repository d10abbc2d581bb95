//! Totals by file: names, classes, and the system calls on each file.

use logtrace_common::{FileClass, LogNames};
use logtrace_events::{File, FileId, Io, IoOp};
use rustc_hash::FxHashMap;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::timeline::threads::SyncWaits;
use crate::totals::distribution::Distribution;
use crate::totals::histogram::Durations;

/// Significant digits of the distributions: there may be hundreds of files, with 20 kB each.
const DIGITS: u8 = 2;

/// System calls of one operation on one file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct FileRow {
    /// Class of the file.
    #[schemars(schema_with = "crate::causes::names_schema::names::<FileClass>")]
    pub class: FileClass,
    /// Path inside the file system.
    pub path: String,
    /// Operation.
    #[schemars(schema_with = "crate::causes::names_schema::names::<IoOp>")]
    pub op: IoOp,
    /// Number of calls.
    pub count: u64,
    /// Bytes written.
    pub bytes: u64,
    /// Sum of the durations.
    pub total: u64,
    /// Distribution of the durations.
    pub distribution: Distribution,
    /// Number of calls that waited for a flush of the device that they had requested.
    #[serde(default)]
    pub flush_waits: u64,
    /// Number of calls that waited for the file system's journal or log.
    #[serde(default)]
    pub journal_waits: u64,
    /// Number of calls that failed.
    #[serde(default)]
    pub errors: u64,
}

/// Files seen so far.
#[derive(Debug)]
pub(crate) struct Files {
    logs: LogNames,
    names: FxHashMap<FileId, (FileClass, String)>,
    calls: FxHashMap<(FileId, IoOp), Calls>,
}

/// Sums over the system calls of one operation on one file.
#[derive(Debug)]
struct Calls {
    bytes: u64,
    durations: Durations,
    waits: SyncWaits,
    errors: u64,
}

impl Files {
    /// Creates empty totals. `logs` are the names of the server's logs.
    pub(crate) fn new(logs: LogNames) -> Self {
        Self {
            logs,
            names: FxHashMap::default(),
            calls: FxHashMap::default(),
        }
    }

    /// Sets the name of a file; a later name replaces an earlier one.
    pub(crate) fn name(&mut self, file: File) {
        let class = FileClass::of(&file.path, &self.logs);
        self.names.insert(file.id, (class, file.path));
    }

    /// Returns the class of a file; [`FileClass::Other`] while its name is unknown.
    pub(crate) fn class(&self, id: FileId) -> FileClass {
        self.names.get(&id).map_or(FileClass::Other, |(class, _)| *class)
    }

    /// Counts a system call and its waits.
    pub(crate) fn count(&mut self, io: &Io, waits: SyncWaits) {
        let calls = self.calls.entry((io.file, io.op)).or_insert_with(|| Calls {
            bytes: 0,
            durations: Durations::new(DIGITS),
            waits: SyncWaits::default(),
            errors: 0,
        });
        if io.op == IoOp::Write {
            // A negative result is an error number.
            let written = u64::try_from(io.ret).unwrap_or(0);
            calls.bytes = calls.bytes.saturating_add(written);
        }
        calls.durations.add(io.exit_ns - io.enter_ns);
        calls.errors += u64::from(io.ret < 0);
        calls.waits.flush += waits.flush;
        calls.waits.journal += waits.journal;
    }

    /// Returns the totals, the file with the longest total first.
    pub(crate) fn into_rows(self) -> Vec<FileRow> {
        let calls = self.calls.into_iter();
        let mut rows: Vec<FileRow> = calls
            .map(|((id, op), calls)| {
                let name = self.names.get(&id).cloned();
                let (class, path) = name.unwrap_or_else(|| (FileClass::Other, "?".into()));
                FileRow {
                    class,
                    path,
                    op,
                    count: calls.durations.count(),
                    bytes: calls.bytes,
                    total: calls.durations.total_ns,
                    distribution: calls.durations.distribution(),
                    flush_waits: calls.waits.flush,
                    journal_waits: calls.waits.journal,
                    errors: calls.errors,
                }
            })
            .collect();
        rows.sort_by(|a, b| {
            let longest = b.total.cmp(&a.total);
            longest.then_with(|| (&a.path, a.op).cmp(&(&b.path, b.op)))
        });
        rows
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const REDO: FileId = FileId {
        dev: 8,
        ino: 12,
        generation: 1,
    };

    fn files() -> Files {
        Files::new(LogNames {
            binlog: "binlog".into(),
            slow_log: "slow.log".into(),
            general_log: "general.log".into(),
        })
    }

    fn io(op: IoOp, length_ns: u64, ret: i64) -> Io {
        Io {
            tid: 1,
            enter_ns: 1_000,
            exit_ns: 1_000 + length_ns,
            file: REDO,
            op,
            ret,
        }
    }

    #[test]
    fn writes_and_syncs_are_counted_apart_and_errors_write_nothing() {
        let mut files = files();
        files.name(File {
            id: REDO,
            path: "data/#innodb_redo/#ib_redo0".into(),
        });
        let waits = SyncWaits { flush: 1, journal: 0 };
        files.count(&io(IoOp::Write, 10, 512), SyncWaits::default());
        files.count(&io(IoOp::Write, 20, -28), SyncWaits::default());
        files.count(&io(IoOp::Fsync, 100, 0), waits);
        let totals = files.into_rows();
        let rows: Vec<_> = totals
            .iter()
            .map(|row| (row.op, row.bytes, row.total, row.count, row.errors))
            .collect();
        assert_eq!(rows, [(IoOp::Fsync, 0, 100, 1, 0), (IoOp::Write, 512, 30, 2, 1)]);
        assert!(totals.iter().all(|row| row.class == FileClass::Redo));
        assert_eq!((totals[0].flush_waits, totals[0].journal_waits), (1, 0));
    }

    #[test]
    fn a_file_without_a_name_is_other() {
        let mut files = files();
        files.count(&io(IoOp::Fsync, 5, 0), SyncWaits::default());
        assert_eq!(files.class(REDO), FileClass::Other);
        let totals = files.into_rows();
        assert_eq!(
            (totals[0].class, totals[0].path.as_str()),
            (FileClass::Other, "?")
        );
    }
}
