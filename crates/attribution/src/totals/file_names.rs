//! Names and classes of files.

use logtrace_common::{FileClass, LogNames};
use logtrace_events::{File, FileId};
use rustc_hash::FxHashMap;

/// Number of names after which those that were not used since the same number of names ago are forgotten. The kernel
/// side holds 16,384, and sends a name again that it has forgotten (crates/tracer/bpf/io.h).
const KEPT: usize = 1 << 16;

/// Names of the files that were used lately.
#[derive(Debug)]
pub(crate) struct FileNames {
    logs: LogNames,
    /// Files that were used since the last time when names were forgotten.
    newer: FxHashMap<FileId, (FileClass, String)>,
    older: FxHashMap<FileId, (FileClass, String)>,
}

impl FileNames {
    /// Creates an empty table. `logs` are the names of the server's logs.
    pub(crate) fn new(logs: LogNames) -> Self {
        Self {
            logs,
            newer: FxHashMap::default(),
            older: FxHashMap::default(),
        }
    }

    /// Sets the name of a file; a later name replaces an earlier one.
    pub(crate) fn insert(&mut self, file: File) {
        let class = FileClass::of(&file.path, &self.logs);
        self.older.remove(&file.id);
        self.insert_newer(file.id, (class, file.path));
    }

    /// Returns the class of a file that is used; [`FileClass::Other`] while its name is unknown.
    pub(crate) fn class(&mut self, id: FileId) -> FileClass {
        if let Some((class, _)) = self.newer.get(&id) {
            return *class;
        }
        let Some(named) = self.older.remove(&id) else {
            return FileClass::Other;
        };
        let class = named.0;
        self.insert_newer(id, named);
        class
    }

    pub(crate) fn path(&self, id: FileId) -> Option<&str> {
        let named = self.newer.get(&id).or_else(|| self.older.get(&id));
        named.map(|(_, path)| path.as_str())
    }

    fn insert_newer(&mut self, id: FileId, named: (FileClass, String)) {
        if self.newer.len() >= KEPT {
            self.older = std::mem::take(&mut self.newer);
        }
        self.newer.insert(id, named);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(ino: u64) -> File {
        let id = FileId {
            dev: 8,
            ino,
            generation: 0,
        };
        let path = format!("data/test/t{ino}.ibd");
        File { id, path }
    }

    #[test]
    fn files_in_use_are_known_however_many_others_come() {
        let mut names = FileNames::new(LogNames {
            binlog: "binlog".into(),
            slow_log: "slow.log".into(),
            general_log: "general.log".into(),
        });
        let used = file(0);
        names.insert(used.clone());
        for ino in 1..5 * KEPT as u64 {
            names.insert(file(ino));
            if ino % 1_000 == 0 {
                assert_eq!(names.class(used.id), FileClass::Data);
            }
            assert!(names.newer.len() + names.older.len() <= 2 * KEPT);
        }
        assert_eq!(names.path(used.id), Some(used.path.as_str()));
        assert_eq!(names.class(file(1).id), FileClass::Other);
    }
}
