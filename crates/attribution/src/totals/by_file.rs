//! Totals by file: names, classes, and the system calls on each file.

use logtrace_common::{FileClass, LogNames};
use logtrace_events::{File, FileId, Io, IoOp};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::timeline::SyncWaits;
use crate::totals::busiest_files::{BusiestFiles, Calls};
use crate::totals::distribution::Distribution;
use crate::totals::file_names::FileNames;

/// Path of the row of all files that are not among the busiest.
const OTHER_FILES: &str = "(other files)";

/// System calls of one operation on one file, or on all files of a class that are not among the 1,000 busiest. A file that gets
/// a name of another class, such as a cache that becomes a binary log, has a row of each class.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct FileRow {
    /// Class of the file.
    #[schemars(schema_with = "crate::causes::names_schema::names::<FileClass>")]
    pub class: FileClass,
    /// Path inside the file system; `(other files)` if the row is about several files.
    pub path: String,
    /// Operation.
    #[schemars(schema_with = "crate::causes::names_schema::names::<IoOp>")]
    pub op: IoOp,
    /// Number of files: 1, or of the files of a class that are not among the busiest. At most 131,072 are told apart.
    #[serde(default = "one")]
    pub files: u64,
    /// Number of calls; of reads, number of waits in calls.
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
pub struct Files {
    names: FileNames,
    busiest: BusiestFiles,
}

impl Files {
    /// Creates empty totals. `logs` are the names of the server's logs.
    pub fn new(logs: LogNames) -> Self {
        Self {
            names: FileNames::new(logs),
            busiest: BusiestFiles::default(),
        }
    }

    /// Sets the name of a file; a later name replaces an earlier one.
    pub fn name(&mut self, file: File) {
        self.names.insert(file);
    }

    /// Returns the class of a file that is used; [`FileClass::Other`] while its name is unknown.
    pub fn class(&mut self, id: FileId) -> FileClass {
        self.names.class(id)
    }

    /// Counts a system call on a file of this class, and its waits.
    pub(crate) fn count(&mut self, io: &Io, class: FileClass, waits: SyncWaits) {
        let Self { names, busiest } = self;
        busiest.count(io, class, waits, || names.path(io.file).map(str::to_owned));
    }

    /// Returns the totals, the file with the longest total first. The files that are not among the busiest have one row
    /// for each class and operation.
    pub(crate) fn into_rows(self) -> Vec<FileRow> {
        let Self { names, busiest } = self;
        let (busiest, others) = busiest.into_parts();
        let busiest = busiest.map(|((id, op, _), calls)| {
            let path = calls.path.as_deref().or(names.path(id)).unwrap_or("?").to_owned();
            row(path, op, &calls)
        });
        let others = others.map(|(op, calls)| row(OTHER_FILES.to_owned(), op, &calls));
        let mut rows: Vec<FileRow> = busiest.chain(others).collect();
        rows.sort_by(|a, b| {
            let longest = b.total.cmp(&a.total);
            longest.then_with(|| (&a.path, a.op).cmp(&(&b.path, b.op)))
        });
        rows
    }
}

fn row(path: String, op: IoOp, calls: &Calls) -> FileRow {
    FileRow {
        class: calls.class,
        path,
        op,
        files: calls.files,
        count: calls.durations.count(),
        bytes: calls.bytes,
        total: calls.durations.total_ns,
        distribution: calls.durations.distribution(),
        flush_waits: calls.waits.flush,
        journal_waits: calls.waits.journal,
        errors: calls.errors,
    }
}

fn one() -> u64 {
    1
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
        files.count(&io(IoOp::Write, 10, 512), FileClass::Redo, SyncWaits::default());
        files.count(&io(IoOp::Write, 20, -28), FileClass::Redo, SyncWaits::default());
        files.count(&io(IoOp::Fsync, 100, 0), FileClass::Redo, waits);
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
    fn a_cache_that_is_renamed_into_a_log_has_a_row_of_each_class() {
        let mut files = files();
        for path in ["data/#binlog_cache_files/ML_77", "data/binlog.000002"] {
            files.name(File {
                id: REDO,
                path: path.into(),
            });
            let class = files.class(REDO);
            files.count(&io(IoOp::Write, 10, 512), class, SyncWaits::default());
        }
        let rows = files.into_rows();
        let rows: Vec<_> = rows
            .iter()
            .map(|row| (row.class, row.path.as_str(), row.bytes))
            .collect();
        assert_eq!(
            rows,
            [
                (FileClass::Temporary, "data/#binlog_cache_files/ML_77", 512),
                (FileClass::Binlog, "data/binlog.000002", 512)
            ]
        );
    }

    #[test]
    fn a_file_without_a_name_is_other() {
        let mut files = files();
        let class = files.class(REDO);
        files.count(&io(IoOp::Fsync, 5, 0), class, SyncWaits::default());
        assert_eq!(class, FileClass::Other);
        let totals = files.into_rows();
        assert_eq!(
            (totals[0].class, totals[0].path.as_str()),
            (FileClass::Other, "?")
        );
    }
}
