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
        Self::of_log(name, parent, logs).unwrap_or_else(|| Self::of_engine_file(name, parent))
    }

    fn of_log(name: &str, parent: &str, logs: &LogNames) -> Option<Self> {
        let is_table = |table: &str| parent == "mysql" && name == table;
        if name == logs.slow_log || is_table("slow_log.CSV") {
            return Some(Self::SlowLog);
        }
        if name == logs.general_log || is_table("general_log.CSV") {
            return Some(Self::GeneralLog);
        }
        is_binlog(name, &logs.binlog).then_some(Self::Binlog)
    }

    fn of_engine_file(name: &str, parent: &str) -> Self {
        let extension = name.rsplit_once('.').map_or("", |(_, extension)| extension);
        match (name, parent, extension) {
            // Before all others: tables and databases have any name, but none with a '.' or '#' (sql/strfunc.cc, filename).
            (name, ..) if is_temporary(name) => Self::Temporary,
            (_, _, "ibd" | "MAI" | "MAD" | "MYI" | "MYD" | "CSV" | "CSM" | "frm" | "sdi") => Self::Data,
            (_, "#innodb_redo", _) | ("#innodb_redo", ..) => Self::Redo,
            (_, "#innodb_temp", _) | ("#innodb_temp", ..) => Self::Temporary,
            (_, "#binlog_cache_files", _) | ("#binlog_cache_files", ..) => Self::Temporary,
            (name, ..) if name.starts_with("ib_logfile") || is_archived_redo(name) => Self::Redo,
            (_, ".rocksdb" | "#rocksdb", "log") => Self::Redo,
            (_, ".rocksdb" | "#rocksdb", "sst") => Self::Data,
            // Of MariaDB from 12.3 with `binlog_storage_engine=innodb`.
            (_, _, "ibb") => Self::Binlog,
            (_, _, "dblwr" | "bdblwr") => Self::Doublewrite,
            (name, ..) if is_undo(name, extension) => Self::Undo,
            (name, ..) if name.starts_with("ibdata") => Self::Data,
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

/// Returns whether this is `BASE.000001`, the index of its GTIDs `BASE.000001.idx` (MariaDB from 11.8), a relay log, an index
/// of logs, or what a rotation or purge writes beside one: `BASE.index_crash_safe` and `BASE.~rec~`.
fn is_binlog(name: &str, base: &str) -> bool {
    let is_index = [".index", ".index_crash_safe", ".~rec~"]
        .iter()
        .any(|end| name.ends_with(end));
    let log = name.strip_suffix(".idx").unwrap_or(name);
    let numbered = log
        .rsplit_once('.')
        .is_some_and(|(_, end)| end.len() >= 6 && end.bytes().all(|byte| byte.is_ascii_digit()));
    let ours = log.strip_prefix(base).is_some_and(|rest| rest.starts_with('.')) || log.contains("-relay-bin");
    is_index || (ours && numbered)
}

/// Returns whether this is a redo log that MariaDB archives, named by the LSN at which it begins: `ib_0000000000003000.log`
/// (from 13.0, `innodb_log_archive`).
fn is_archived_redo(name: &str) -> bool {
    let lsn = name
        .strip_prefix("ib_")
        .and_then(|name| name.strip_suffix(".log"));
    lsn.is_some_and(|lsn| lsn.len() == 16 && lsn.bytes().all(|byte| byte.is_ascii_hexdigit()))
}

/// Returns whether this is an undo tablespace: `undo_001`, `undo001`, `NAME.ibu`, and MySQL's note that one is being truncated,
/// `undo_1_trunc.log` (storage/innobase/include/trx0purge.h).
fn is_undo(name: &str, extension: &str) -> bool {
    let number = name.strip_prefix("undo").map(|rest| rest.trim_start_matches('_'));
    let number = number.map(|rest| rest.strip_suffix("_trunc.log").unwrap_or(rest));
    let is_numbered =
        number.is_some_and(|rest| !rest.is_empty() && rest.bytes().all(|byte| byte.is_ascii_digit()));
    extension == "ibu" || is_numbered
}

/// Letters that mkstemp(3) puts behind a prefix.
const RANDOM_LETTERS: usize = 6;

/// Returns whether this is a file of a sort, a temporary table or a cache of the binary log (mysys `create_temp_file` prefixes).
/// One without a name (`O_TMPFILE`) is `#INODE` to the kernel (fs/dcache.c, `d_tmpfile()`).
fn is_temporary(name: &str) -> bool {
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let is_random =
        |text: &str| text.len() == RANDOM_LETTERS && text.bytes().all(|byte| byte.is_ascii_alphanumeric());
    let after = |prefix: &str| name.strip_prefix(prefix);
    let is_of_mysys = ["ML", "MY", "ib"]
        .iter()
        .any(|prefix| after(prefix).is_some_and(is_random));
    let is_numbered = ["#", "ibtmp", "ML_", "MLfd=", "MYfd="]
        .iter()
        .any(|prefix| after(prefix).is_some_and(is_number));
    let is_of_table = name.starts_with("#sql") || name.starts_with("mysql_temptable.");
    is_of_table || is_numbered || (is_of_mysys && !name.starts_with("ibdata"))
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
            ("tmp/#131099", FileClass::Temporary),
            ("tmp/#", FileClass::Other),
            ("tmp/MLfd=57", FileClass::Temporary),
            ("tmp/mysql_temptable.Ab3dE6", FileClass::Temporary),
            ("data/#binlog_cache_files/ML_131099", FileClass::Temporary),
            ("data/#sql-1a2b.ibd", FileClass::Temporary),
            ("data/auto.cnf", FileClass::Other),
            ("", FileClass::Other),
        ];
        for (path, wanted) in expected {
            assert_eq!(class(path), wanted, "{path}");
        }
    }

    #[test]
    fn what_a_rotation_writes_beside_the_binlog_is_of_the_binlog() {
        for name in [
            "binlog.index_crash_safe",
            "binlog.~rec~",
            "binlog.000007.idx",
            "elsewhere.index",
            "host-relay-bin.index",
            "host-relay-bin-channel.000002",
        ] {
            assert_eq!(class(&format!("data/{name}")), FileClass::Binlog, "{name}");
        }
        assert_eq!(class("data/other.000007.idx"), FileClass::Other);
    }

    #[test]
    fn a_table_is_data_whatever_its_name() {
        for table in [
            "undo_log",
            "ib_logfile0",
            "ibtmp1",
            "MLabc123",
            "aria_log",
            "undo_001",
        ] {
            for extension in ["ibd", "MAD", "MYI"] {
                let path = format!("data/shop/{table}.{extension}");
                assert_eq!(class(&path), FileClass::Data, "{path}");
            }
        }
        assert_eq!(class("data/shop/slow_log.CSV"), FileClass::Data);
        assert_eq!(class("data/shop/general_log.CSV"), FileClass::Data);
    }

    #[test]
    fn undo_redo_and_temporary_files_are_told_by_their_whole_names() {
        for (name, wanted) in [
            ("hot.ibu", FileClass::Undo),
            ("undo_1_trunc.log", FileClass::Undo),
            ("undo_notes", FileClass::Other),
            ("ib_0000000000003000.log", FileClass::Redo),
            ("ib_00000003.log", FileClass::Other),
            ("ib_buffer_pool", FileClass::Other),
            ("ib_buffer_pool.incomplete", FileClass::Other),
            ("ibdata12", FileClass::Data),
            ("MYSQL_notes", FileClass::Other),
        ] {
            assert_eq!(class(&format!("data/{name}")), wanted, "{name}");
        }
    }

    #[test]
    fn a_directory_is_of_the_files_that_it_is_for() {
        assert_eq!(class("data/#innodb_redo"), FileClass::Redo);
        assert_eq!(class("data/#innodb_temp"), FileClass::Temporary);
        assert_eq!(class("data/#binlog_cache_files"), FileClass::Temporary);
        assert_eq!(class("var/lib/mysql"), FileClass::Other);
    }

    #[test]
    fn binlog_prefix_alone_is_no_binlog() {
        assert_eq!(class("data/binlogger.000001"), FileClass::Other);
        assert_eq!(class("data/binlog.txt"), FileClass::Other);
    }
}
