//! Colours and advice of the waits in functions of the server.

use crate::causes::cause::Wait;
use crate::causes::rgb::Rgb;

/// Redo log.
const REDO: Rgb = (0x2f, 0x9e, 0xc4);
/// Binary log and group commit.
const BINLOG: Rgb = (0x3d, 0x7a, 0xd1);
/// Replication and clusters.
const REPLICATION: Rgb = (0x6a, 0x74, 0xd8);
/// Locks between sessions.
const LOCK: Rgb = (0xb0, 0x5f, 0xd0);
/// Inside a storage engine.
const ENGINE: Rgb = (0x8d, 0x6f, 0x4a);
/// Functions without a rule.
const OTHER: Rgb = (0xb8, 0x9d, 0x3a);

/// Returns the colour of a wait, the same for waits of one kind.
pub(crate) fn server_wait_color(wait: Wait) -> Rgb {
    row(wait).1
}

/// Returns what a wait means and what to try, in one sentence without its full stop.
pub(crate) fn server_wait_advice(wait: Wait) -> &'static str {
    row(wait).2
}

/// Number of waits in functions of the server.
#[cfg(test)]
pub(crate) const SERVER_WAITS: usize = ROWS.len();

fn row(wait: Wait) -> &'static (Wait, Rgb, &'static str) {
    ROWS.iter().find(|row| row.0 == wait).unwrap_or(&ROWS[0])
}

#[rustfmt::skip]
const ROWS: &[(Wait, Rgb, &str)] = &[
    (Wait::TimedWait, OTHER, "A wait for an event ran out of time; --detail io shows the server's function"),
    (Wait::ServerFunction, OTHER,
        "No rule recognises the server's function, which the flame graph names; a new rule would name the \
         cause"),
    (Wait::RedoCopy, REDO,
        "MySQL waited 100 ms for redo that another transaction was copying, and nothing wakes it; SET GLOBAL \
         innodb_log_writer_threads=ON avoids this (docs/findings/redo-of-another-transaction.md)"),
    (Wait::RedoFlush, REDO,
        "Another thread wrote or flushed the redo log, for several commits at once; faster storage for the \
         redo log helps"),
    (Wait::RedoWriter, REDO,
        "InnoDB's log threads wrote and flushed the redo log; on few CPUs innodb_log_writer_threads=OFF saves \
         wake-ups"),
    (Wait::RedoSpace, REDO,
        "The redo log was full until the checkpoint advanced; raise innodb_redo_log_capacity \
         (innodb_log_file_size) and innodb_io_capacity"),
    (Wait::RedoLocked, REDO, "The redo log was locked as a whole: a backup, a clone, or a resize"),
    (Wait::LogBufferSpace, REDO, "The redo log buffer was full; raise innodb_log_buffer_size"),
    (Wait::RedoWindow, REDO, "A thread that copied redo did not get the CPU; use fewer threads or more CPUs"),
    (Wait::GroupLeader, BINLOG,
        "The leader of the group committed for its members; the leader's own waits are the cause"),
    (Wait::CommitStage, BINLOG,
        "An earlier group was still in this stage of the commit; what that group waited for is the cause"),
    (Wait::GroupDelay, BINLOG, "A configured delay: binlog_group_commit_sync_delay, binlog_commit_wait_usec"),
    (Wait::BinlogRotation, BINLOG, "The binary log was rotated; a larger max_binlog_size rotates less often"),
    (Wait::CommitOrder, BINLOG,
        "Commits of a replica wait for the order of the source (replica_preserve_commit_order, \
         slave_parallel_mode)"),
    (Wait::CommitLock, LOCK, "Another session blocks all commits: FLUSH TABLES WITH READ LOCK, or a backup"),
    (Wait::GtidState, BINLOG, "Threads waited for the state of the GTIDs"),
    (Wait::GroupReplication, REPLICATION,
        "The group had to certify the transaction; check the slowest member and the network"),
    (Wait::FlowControl, REPLICATION,
        "Group Replication slowed its writers down (group_replication_flow_control_mode)"),
    (Wait::Galera, REPLICATION,
        "The cluster had to order and certify the transaction; check the slowest node and \
         wsrep_flow_control_paused"),
    (Wait::QueryLogLock, LOCK,
        "Threads wrote the slow or the general log in turn; log less, or to a faster file system"),
    (Wait::RowLock, LOCK,
        "Another transaction held the row; shorter transactions, or fewer changes of the same rows, help"),
    (Wait::AutoIncrementLock, LOCK,
        "Inserts waited for the counter of the table; innodb_autoinc_lock_mode=2 needs no lock"),
    (Wait::MetadataLock, LOCK,
        "A change of the table, or a long transaction, held its metadata lock; find the session in \
         performance_schema.metadata_locks"),
    (Wait::GlobalReadLock, LOCK, "A session held FLUSH TABLES WITH READ LOCK"),
    (Wait::BackupLock, LOCK, "A backup held its lock; check when backups run"),
    (Wait::FlushTables, LOCK, "FLUSH TABLES waited for tables in use"),
    (Wait::TableLock, LOCK,
        "A session held LOCK TABLES, or the engine locks whole tables; InnoDB locks rows"),
    (Wait::TableCache, LOCK,
        "Tables were opened, or the table cache was locked; raise table_open_cache and its instances"),
    (Wait::PageLatch, ENGINE,
        "Another thread changed the page, or read it from the device; check the buffer pool's size, and hot \
         pages"),
    (Wait::FreePage, ENGINE,
        "The buffer pool had no free page; raise innodb_buffer_pool_size, innodb_lru_scan_depth or \
         innodb_io_capacity"),
    (Wait::Doublewrite, ENGINE,
        "Pages went through the doublewrite buffer; raise innodb_doublewrite_pages, or use faster storage"),
    (Wait::FileExtension, ENGINE,
        "A tablespace file was extended or flushed; raise innodb_autoextend_increment"),
    (Wait::InnodbQueue, ENGINE,
        "innodb_thread_concurrency limits the threads inside InnoDB; 0 removes the limit"),
    (Wait::PurgeLag, ENGINE, "Changes were delayed for purge (innodb_max_purge_lag)"),
    (Wait::AdaptiveHash, ENGINE,
        "Threads waited for the adaptive hash index; innodb_adaptive_hash_index=OFF removes it"),
    (Wait::Dictionary, ENGINE,
        "Threads waited for the data dictionary: tables were opened, changed or analysed"),
    (Wait::UndoLatch, ENGINE, "Threads waited for undo logs; more undo tablespaces help"),
    (Wait::LockSystem, ENGINE,
        "Threads waited for InnoDB's table of locks; fewer locks on the same rows help"),
    (Wait::InnodbLatch, ENGINE, "Threads waited for a latch inside InnoDB; a build with symbols names it"),
    (Wait::InnodbWait, ENGINE,
        "A row lock, a free page or the checkpoint; a build with symbols, and SHOW ENGINE INNODB STATUS, tell \
         which"),
    (Wait::QueryCache, LOCK, "Threads waited for the query cache; query_cache_type=0 removes it"),
    (Wait::AriaLog, ENGINE, "Threads waited for the log of Aria"),
    (Wait::DiskFull, ENGINE, "The disk was full; free space"),
];
