//! Rules: which setting governs which causes, the change that is advised, its price, and the source of the claim.
//!
//! There is none for what could not be verified: `innodb_use_native_aio`, `innodb_log_write_ahead_size` and the spin settings
//! of the redo log (their time cannot be told from a run), `innodb_autoextend_increment` (which does not govern tables with
//! files of their own), and `sync_relay_log` (of another server).

use logtrace_attribution::cause::{Wait, Who};
use logtrace_common::FileClass::{Binlog, Data, Doublewrite, Redo, Temporary, Undo};
use logtrace_common::Flavor::{MariaDb, MySql};
use logtrace_events::IoOp;

use crate::advice::rule::SettingChange::{AtMost, More, MoreBytes, OneForEachCpu, To};
use crate::advice::rule::{CausePart, SettingRule, call, waits};

/// Rule that says nothing, for the fields that a rule leaves out.
const NONE: SettingRule = SettingRule {
    variables: &[],
    flavor: None,
    parts: &[],
    change: To("", &[]),
    when: &[],
    price: "none",
    source: "",
};

pub(super) const RULES: &[SettingRule] = &[
    // Syncs.
    SettingRule {
        variables: &["sync_binlog"],
        // A session that is not in a commit rotates it, and a thread of MariaDB notes a checkpoint then.
        parts: &[CausePart {
            not_of: &[Who::Session, Who::Background],
            ..call(&[Binlog], IoOp::Fsync, &[])
        }],
        change: To("100", &["1"]),
        price: "a power loss takes up to 100 groups of commits off the binary log",
        source: "docs/studies/README.md",
        ..NONE
    },
    SettingRule {
        variables: &["innodb_flush_log_at_trx_commit"],
        parts: &[
            call(&[Redo], IoOp::Fsync, &[]),
            waits(&[Wait::RedoFlush, Wait::RedoWriter]),
        ],
        // 3 is MariaDB's.
        change: To("2", &["1", "3"]),
        price: "a power loss takes the last second",
        source: "docs/studies/README.md",
        ..NONE
    },
    // What is left to sync then is each change from one of its 32 files to the next: the session that fills one syncs the next
    // file, the directory, and its own twice (MySQL 9.7.4, strace).
    SettingRule {
        variables: &["innodb_redo_log_capacity"],
        flavor: Some(MySql),
        parts: &[call(&[Redo], IoOp::Fsync, &[])],
        change: MoreBytes(128 << 30),
        when: &[("innodb_flush_log_at_trx_commit", &["0", "2"])],
        price: "disk space, longer recovery; each 1/32 ends with 4 syncs",
        source: "MySQL manual, Redo Log",
    },
    // fsync() also writes the time of the last change, and so the journal, where fdatasync() does not.
    SettingRule {
        variables: &["innodb_use_fdatasync"],
        flavor: Some(MySql),
        parts: &[call(
            &[Redo, Data, Undo, Doublewrite],
            IoOp::Fsync,
            &[Wait::JournalCommit],
        )],
        change: To("ON", &["OFF"]),
        source: "MySQL manual, innodb_use_fdatasync",
        ..NONE
    },
    SettingRule {
        variables: &["innodb_flush_method"],
        flavor: Some(MySql),
        parts: &[
            call(&[Data, Undo, Doublewrite], IoOp::Fsync, &[]),
            call(&[Data, Undo, Doublewrite], IoOp::Write, &[Wait::DirtyThrottling]),
        ],
        change: To("O_DIRECT", &["fsync"]),
        price: "a restart, and the kernel no longer caches pages",
        source: "MySQL manual, innodb_flush_method",
        ..NONE
    },
    // With 1 the sync would wait for what the write no longer waits for.
    SettingRule {
        variables: &["innodb_log_file_buffering"],
        flavor: Some(MariaDb),
        parts: &[call(&[Redo], IoOp::Write, &[Wait::DeviceIo])],
        change: To("ON", &["OFF"]),
        when: &[("innodb_flush_log_at_trx_commit", &["0", "2"])],
        price: "memory of the kernel's page cache",
        source: "MariaDB documentation, innodb_log_file_buffering",
    },
    // Redo log.
    SettingRule {
        variables: &["innodb_log_writer_threads"],
        flavor: Some(MySql),
        parts: &[waits(&[Wait::RedoCopy])],
        change: To("ON", &["OFF"]),
        price: "12 % of throughput",
        source: "docs/findings/redo-of-another-transaction.md",
        ..NONE
    },
    SettingRule {
        variables: &["innodb_redo_log_capacity", "innodb_log_file_size"],
        parts: &[waits(&[Wait::RedoSpace])],
        change: MoreBytes(128 << 30),
        price: "disk space, and a longer recovery after a crash",
        source: "storage/innobase/log/log0chkp.cc, log_free_check_wait()",
        ..NONE
    },
    SettingRule {
        variables: &["innodb_log_buffer_size"],
        parts: &[waits(&[Wait::LogBufferSpace])],
        change: MoreBytes((4 << 30) - 1),
        price: "that much memory",
        source: "storage/innobase/log/log0buf.cc, log_buffer_reserve()",
        ..NONE
    },
    // Group commit.
    SettingRule {
        variables: &["binlog_group_commit_sync_delay"],
        flavor: Some(MySql),
        parts: &[waits(&[Wait::GroupDelay])],
        change: To("0", &[]),
        // It naps ten times, and looks at the number of commits in between.
        price: "fewer commits share a sync; its count ends it at tenths alone",
        source: "sql/rpl_commit_stage_manager.cc, Commit_stage_manager::wait_count_or_timeout()",
        ..NONE
    },
    SettingRule {
        variables: &["binlog_commit_wait_count"],
        flavor: Some(MariaDb),
        parts: &[waits(&[Wait::GroupDelay])],
        change: To("0", &[]),
        price: "fewer commits share a sync",
        source: "sql/log.cc, MYSQL_BIN_LOG::wait_for_sufficient_commits()",
        ..NONE
    },
    SettingRule {
        variables: &["binlog_order_commits"],
        flavor: Some(MySql),
        parts: &[waits(&[Wait::CommitStage])],
        change: To("OFF", &["ON"]),
        price: "InnoDB may commit in another order than the binary log has",
        source: "MySQL manual, binlog_order_commits",
        ..NONE
    },
    // Binary log. It is synced at each rotation, also with sync_binlog=0; MySQL syncs both logs, the index twice, its copy, and
    // the list of files to purge.
    SettingRule {
        variables: &["max_binlog_size"],
        parts: &[call(&[Binlog], IoOp::Fsync, &[])],
        change: AtMost(128 << 20, "128M"),
        when: &[("sync_binlog", &["0"])],
        price: "more files, each ends with some six syncs",
        source: "docs/studies/binlog-fs.md",
        ..NONE
    },
    SettingRule {
        variables: &["max_binlog_size"],
        parts: &[waits(&[Wait::BinlogRotation])],
        change: MoreBytes(1 << 30),
        price: "larger files",
        source: "sql/binlog.cc, MYSQL_BIN_LOG::wait_for_prep_xids()",
        ..NONE
    },
    SettingRule {
        variables: &["binlog_cache_size"],
        parts: &[
            call(&[Temporary], IoOp::Write, &[]),
            call(&[Temporary], IoOp::Fsync, &[]),
            // Of the cache, when the transaction commits.
            call(&[Temporary], IoOp::Read, &[]),
        ],
        change: MoreBytes(1 << 30),
        price: "up to that much memory for each connection",
        source: "MySQL manual, binlog_cache_size",
        ..NONE
    },
    SettingRule {
        variables: &["binlog_row_image"],
        parts: &[call(&[Binlog], IoOp::Write, &[])],
        change: To("MINIMAL", &["FULL"]),
        when: &[("binlog_format", &["ROW"])],
        price: "the log of an UPDATE or DELETE no longer has whole rows",
        source: "MySQL manual, binlog_row_image",
        ..NONE
    },
    // CPUs.
    SettingRule {
        variables: &["thread_pool_size"],
        flavor: Some(MariaDb),
        parts: &[waits(&[Wait::RunQueue])],
        change: OneForEachCpu,
        when: &[("thread_handling", &["pool-of-threads"])],
        price: "statements may wait for a thread of the pool",
        source: "MariaDB documentation, thread_pool_size",
    },
    // Replication.
    SettingRule {
        variables: &["replica_preserve_commit_order", "slave_preserve_commit_order"],
        flavor: Some(MySql),
        parts: &[waits(&[Wait::CommitOrder])],
        change: To("OFF", &["ON"]),
        price: "the replica commits in another order than the source",
        source: "MySQL manual, replica_preserve_commit_order",
        ..NONE
    },
    SettingRule {
        variables: &["group_replication_flow_control_mode"],
        flavor: Some(MySql),
        parts: &[waits(&[Wait::FlowControl])],
        change: To("DISABLED", &["QUOTA"]),
        price: "a member that lags falls further behind",
        source: "MySQL manual, group_replication_flow_control_mode",
        ..NONE
    },
    // InnoDB, in commits that do more than commit.
    SettingRule {
        variables: &["innodb_buffer_pool_size"],
        parts: &[waits(&[Wait::FreePage]), call(&[Data, Undo], IoOp::Read, &[])],
        change: MoreBytes(u64::MAX),
        price: "that much memory",
        source: "storage/innobase/buf/buf0lru.cc, buf_LRU_get_free_block()",
        ..NONE
    },
    SettingRule {
        variables: &["innodb_doublewrite_pages"],
        flavor: Some(MySql),
        parts: &[waits(&[Wait::Doublewrite])],
        change: More(512),
        price: "memory, and a restart",
        source: "MySQL manual, innodb_doublewrite_pages",
        ..NONE
    },
    SettingRule {
        variables: &["innodb_thread_concurrency"],
        parts: &[waits(&[Wait::InnodbQueue])],
        change: To("0", &[]),
        price: "more threads run in InnoDB at a time",
        source: "storage/innobase/srv/srv0conc.cc, srv_conc_enter_innodb()",
        ..NONE
    },
    SettingRule {
        variables: &["innodb_max_purge_lag"],
        parts: &[waits(&[Wait::PurgeLag])],
        change: To("0", &[]),
        price: "undo logs may grow",
        source: "MySQL manual, innodb_max_purge_lag",
        ..NONE
    },
    SettingRule {
        variables: &["innodb_adaptive_hash_index"],
        parts: &[waits(&[Wait::AdaptiveHash])],
        change: To("OFF", &["ON"]),
        price: "slower lookups by key, where it helps",
        source: "MySQL manual, Adaptive Hash Index",
        ..NONE
    },
    SettingRule {
        variables: &["innodb_autoinc_lock_mode"],
        parts: &[waits(&[Wait::AutoIncrementLock])],
        change: To("2", &["0", "1"]),
        price: "a restart, and no replication by statements",
        source: "MySQL manual, AUTO_INCREMENT Handling in InnoDB",
        ..NONE
    },
    SettingRule {
        variables: &["query_cache_type"],
        flavor: Some(MariaDb),
        parts: &[waits(&[Wait::QueryCache])],
        change: To("OFF", &["ON", "DEMAND"]),
        price: "statements that would be answered from it run",
        source: "MariaDB documentation, Query Cache",
        ..NONE
    },
    SettingRule {
        variables: &["table_open_cache"],
        parts: &[waits(&[Wait::TableCache])],
        change: More(524_288),
        price: "memory and open files",
        source: "MySQL manual, table_open_cache",
        ..NONE
    },
];
