//! Class of a server's file.

use serde::{Deserialize, Serialize};
use strum::{Display, EnumIter, EnumString, IntoStaticStr, VariantNames};

use crate::names::UnknownName;

/// Use that a server makes of a file. The variants are in the order of reports.
#[derive(
    Clone,
    Copy,
    Debug,
    PartialEq,
    Eq,
    Hash,
    PartialOrd,
    Ord,
    Serialize,
    Deserialize,
    Display,
    EnumIter,
    EnumString,
    IntoStaticStr,
    VariantNames,
)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case", parse_err_ty = UnknownName, parse_err_fn = unknown_class)]
pub enum FileClass {
    /// Binary and relay logs and their indexes.
    Binlog,
    /// InnoDB's redo log, and the write-ahead log of MyRocks.
    Redo,
    /// The slow query log, as a file or as the CSV file of its table.
    SlowLog,
    /// The general query log, as a file or as the CSV file of its table.
    GeneralLog,
    /// Tables and the system tablespace.
    Data,
    /// InnoDB's doublewrite buffer where it has files of its own.
    Doublewrite,
    /// Undo tablespaces.
    Undo,
    /// Temporary tables and files.
    Temporary,
    /// Other files, and files with unknown names.
    Other,
}

/// Names of a server's log files, from its variables. A name without a directory matches in any directory.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LogNames {
    /// File name before `.NNNNNN` of the binary log (`log_bin_basename`).
    pub binlog: String,
    /// File name of `slow_query_log_file`.
    pub slow_log: String,
    /// File name of `general_log_file`.
    pub general_log: String,
}

impl FileClass {
    /// Returns the class of the file at `path`.
    ///
    /// Names are those of MySQL (storage/innobase/include/fil0fil.h, log0files_io.h), MariaDB (log0log.h) and MyRocks
    /// (rocksdb/file/filename.cc), whose directory is `.rocksdb` in Percona Server and `#rocksdb` in MariaDB
    /// (storage/rocksdb/ha_rocksdb.cc, `rocksdb_datadir`). A log in a `rocksdb_wal_dir` with another name is not recognised.
    pub fn of(path: &str, logs: &LogNames) -> Self {
        let mut parts = path.rsplit('/');
        let name = parts.next().unwrap_or_default();
        let parent = parts.next().unwrap_or_default();
        Self::of_log(name, logs).unwrap_or_else(|| Self::of_engine_file(name, parent))
    }

    fn of_log(name: &str, logs: &LogNames) -> Option<Self> {
        if name == logs.slow_log || name == "slow_log.CSV" {
            return Some(Self::SlowLog);
        }
        if name == logs.general_log || name == "general_log.CSV" {
            return Some(Self::GeneralLog);
        }
        is_binlog(name, &logs.binlog).then_some(Self::Binlog)
    }

    fn of_engine_file(name: &str, parent: &str) -> Self {
        let extension = name.rsplit_once('.').map_or("", |(_, extension)| extension);
        match (name, parent, extension) {
            (_, "#innodb_redo", _) => Self::Redo,
            (name, ..) if name.starts_with("ib_logfile") => Self::Redo,
            (_, ".rocksdb" | "#rocksdb", "log") => Self::Redo,
            (_, ".rocksdb" | "#rocksdb", "sst") => Self::Data,
            // Of MariaDB from 12.3 with `binlog_storage_engine=innodb`.
            (_, _, "ibb") => Self::Binlog,
            (_, _, "dblwr" | "bdblwr") => Self::Doublewrite,
            (name, ..) if name.starts_with("undo") => Self::Undo,
            (_, "#innodb_temp", _) => Self::Temporary,
            (name, ..) if is_temporary(name) => Self::Temporary,
            (name, ..) if name.starts_with("ibdata") => Self::Data,
            (_, _, "ibd" | "MAI" | "MAD" | "MYI" | "MYD" | "CSV" | "CSM" | "frm" | "sdi") => Self::Data,
            (name, ..) if name.starts_with("aria_log") => Self::Data,
            _ => Self::Other,
        }
    }

    /// Returns the name in reports, options and `run.json`.
    pub fn as_str(self) -> &'static str {
        self.into()
    }
}

fn unknown_class(text: &str) -> UnknownName {
    UnknownName::new("class of files", text, FileClass::VARIANTS)
}

/// Returns whether this is `BASE.000001`, `BASE.index`, the index's crash-safe copy, or a relay log.
fn is_binlog(name: &str, base: &str) -> bool {
    let numbered = |name: &str| {
        name.rsplit_once('.')
            .is_some_and(|(_, end)| end.len() >= 6 && end.bytes().all(|b| b.is_ascii_digit()))
    };
    let indexed = |name: &str| name.ends_with(".index") || name.ends_with(".index_crash_safe");
    let ours =
        name.strip_prefix(base).is_some_and(|rest| rest.starts_with('.')) || name.contains("-relay-bin.");
    ours && (numbered(name) || indexed(name)) || name.ends_with(".~rec~")
}

/// Returns whether this is a file of a sort, a temporary table or a cache of the binary log (mysys `create_temp_file` prefixes).
fn is_temporary(name: &str) -> bool {
    let prefixes = ["ibtmp", "#sql", "ML", "MY", "MLfd=", "ib"];
    let plain = !name.contains('.') || name.starts_with("#sql") || name.starts_with("ibtmp");
    plain && prefixes.iter().any(|prefix| name.starts_with(prefix)) && !name.starts_with("ibdata")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn class(path: &str) -> FileClass {
        let logs = LogNames {
            binlog: "binlog".into(),
            slow_log: "host-slow.log".into(),
            general_log: "host.log".into(),
        };
        FileClass::of(path, &logs)
    }

    #[test]
    fn every_file_of_both_servers_has_its_class() {
        let expected = [
            ("var/data/binlog.000001", FileClass::Binlog),
            ("var/data/binlog.1000001", FileClass::Binlog),
            ("binlog.index", FileClass::Binlog),
            ("data/binlog.~rec~", FileClass::Binlog),
            ("data/host-relay-bin.000002", FileClass::Binlog),
            ("data/binlog-000000.ibb", FileClass::Binlog),
            ("data/#innodb_redo/#ib_redo12", FileClass::Redo),
            ("data/#innodb_redo/#ib_redo12_tmp", FileClass::Redo),
            ("data/ib_logfile0", FileClass::Redo),
            ("data/ib_logfile101", FileClass::Redo),
            ("data/.rocksdb/000012.log", FileClass::Redo),
            ("data/#rocksdb/000012.log", FileClass::Redo),
            ("data/.rocksdb/000013.sst", FileClass::Data),
            ("data/#rocksdb/000013.sst", FileClass::Data),
            ("data/.rocksdb/LOG", FileClass::Other),
            ("data/.rocksdb/MANIFEST-000004", FileClass::Other),
            ("data/sbtest/000012.log", FileClass::Other),
            ("data/host-slow.log", FileClass::SlowLog),
            ("data/mysql/slow_log.CSV", FileClass::SlowLog),
            ("data/host.log", FileClass::GeneralLog),
            ("data/mysql/general_log.CSV", FileClass::GeneralLog),
            ("data/sbtest/sbtest1.ibd", FileClass::Data),
            ("data/ibdata1", FileClass::Data),
            ("data/mysql.ibd", FileClass::Data),
            ("data/mysql/db.MAD", FileClass::Data),
            ("data/#ib_16384_0.dblwr", FileClass::Doublewrite),
            ("data/undo_001", FileClass::Undo),
            ("data/undo001", FileClass::Undo),
            ("data/ibtmp1", FileClass::Temporary),
            ("data/#innodb_temp/temp_3.ibt", FileClass::Temporary),
            ("tmp/MLRqC3xk", FileClass::Temporary),
            ("tmp/ibXyz123", FileClass::Temporary),
            ("data/#sql-1a2b.ibd", FileClass::Temporary),
            ("data/auto.cnf", FileClass::Other),
            ("", FileClass::Other),
        ];
        for (path, wanted) in expected {
            assert_eq!(class(path), wanted, "{path}");
        }
    }

    #[test]
    fn binlog_prefix_alone_is_no_binlog() {
        assert_eq!(class("data/binlogger.000001"), FileClass::Other);
        assert_eq!(class("data/binlog.txt"), FileClass::Other);
    }
}
