//! The files that a server uses: names, classes, and the system calls on them.

use hdrhistogram::Histogram;
use logtrace_common::{FileClass, LogNames};
use logtrace_events::{File, FileId, Io, IoOp};
use rustc_hash::FxHashMap;

use crate::totals::breakdown::{FileTotal, SyncWaits};
use crate::totals::histogram;

/// Significant digits of the distributions of files: there may be hundreds, of 20 kB each.
const DIGITS: u8 = 2;

/// All files seen so far.
#[derive(Debug)]
pub(crate) struct Files {
    logs: LogNames,
    by_id: FxHashMap<FileId, Entry>,
}

#[derive(Debug)]
struct Entry {
    class: FileClass,
    path: String,
    writes: Option<Calls>,
    syncs: Option<Calls>,
}

/// System calls of one kind on one file.
#[derive(Debug)]
struct Calls {
    bytes: u64,
    total_ns: u64,
    durations: Histogram<u64>,
    waits: SyncWaits,
}

impl Files {
    /// None yet, of a server whose logs have these names.
    pub(crate) fn new(logs: LogNames) -> Self {
        Self {
            logs,
            by_id: FxHashMap::default(),
        }
    }

    /// Gives a file its name; a later name replaces an earlier one.
    pub(crate) fn name(&mut self, file: File) {
        let class = FileClass::of(&file.path, &self.logs);
        let entry = self.by_id.entry(file.id).or_insert_with(Entry::unnamed);
        entry.class = class;
        entry.path = file.path;
    }

    /// The class of a file; [`FileClass::Other`] while its name is unknown.
    pub(crate) fn class(&self, id: FileId) -> FileClass {
        self.by_id.get(&id).map_or(FileClass::Other, |entry| entry.class)
    }

    /// Counts a system call, and what it waited for.
    pub(crate) fn count(&mut self, io: &Io, waits: SyncWaits) {
        let entry = self.by_id.entry(io.file).or_insert_with(Entry::unnamed);
        let calls = match io.op {
            IoOp::Write => &mut entry.writes,
            IoOp::Fsync => &mut entry.syncs,
        };
        calls.get_or_insert_with(Calls::none).add(io, waits);
    }

    /// What was counted, the file that took longest first.
    pub(crate) fn into_totals(self) -> Vec<FileTotal> {
        let mut totals: Vec<FileTotal> = self.by_id.into_values().flat_map(Entry::into_totals).collect();
        totals.sort_by(|a, b| {
            let longest = b.total_ns.cmp(&a.total_ns);
            longest.then_with(|| (&a.path, a.op).cmp(&(&b.path, b.op)))
        });
        totals
    }
}

impl Entry {
    fn unnamed() -> Self {
        Self {
            class: FileClass::Other,
            path: "?".into(),
            writes: None,
            syncs: None,
        }
    }

    fn into_totals(self) -> impl Iterator<Item = FileTotal> {
        let Self {
            class,
            path,
            writes,
            syncs,
        } = self;
        let calls = [(IoOp::Write, writes), (IoOp::Fsync, syncs)];
        calls.into_iter().filter_map(move |(op, calls)| {
            let calls = calls?;
            Some(FileTotal {
                class,
                path: path.clone(),
                op,
                bytes: calls.bytes,
                total_ns: calls.total_ns,
                durations: calls.durations,
                waits: calls.waits,
            })
        })
    }
}

impl Calls {
    fn none() -> Self {
        Self {
            bytes: 0,
            total_ns: 0,
            durations: histogram::empty(DIGITS),
            waits: SyncWaits::default(),
        }
    }

    fn add(&mut self, io: &Io, waits: SyncWaits) {
        let length_ns = io.exit_ns - io.enter_ns;
        if io.op == IoOp::Write {
            // Negative is an error number.
            let written = u64::try_from(io.ret).unwrap_or(0);
            self.bytes = self.bytes.saturating_add(written);
        }
        self.total_ns += length_ns;
        self.durations += length_ns;
        self.waits.flush += waits.flush;
        self.waits.journal += waits.journal;
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
        let totals = files.into_totals();
        let rows: Vec<_> = totals
            .iter()
            .map(|row| (row.op, row.bytes, row.total_ns, row.durations.len()))
            .collect();
        assert_eq!(rows, [(IoOp::Fsync, 0, 100, 1), (IoOp::Write, 512, 30, 2)]);
        assert!(totals.iter().all(|row| row.class == FileClass::Redo));
        assert_eq!(
            totals.iter().map(|row| row.waits).max_by_key(|waits| waits.flush),
            Some(waits)
        );
    }

    #[test]
    fn a_file_without_a_name_is_other() {
        let mut files = files();
        files.count(&io(IoOp::Fsync, 5, 0), SyncWaits::default());
        assert_eq!(files.class(REDO), FileClass::Other);
        let totals = files.into_totals();
        assert_eq!(
            (totals[0].class, totals[0].path.as_str()),
            (FileClass::Other, "?")
        );
    }
}
