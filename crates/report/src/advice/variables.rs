//! Table from causes to the variables of servers that govern them. A document has all of them that its server has.
//!
//! Advice changes some: a test looks for each variable of a rule beside the causes that the rule is about.

use logtrace_attribution::cause::{Cause, Wait};
use logtrace_common::FileClass::{Binlog, Data, Doublewrite, Redo, Temporary, Undo};
use logtrace_events::IoOp::{Fsync, Read, Write};

use crate::advice::rule::{CausePart, call, waits};

/// Causes, and the variables that govern them, each by its names in all versions.
pub(super) struct GovernedCauses {
    parts: &'static [CausePart],
    pub(super) variables: &'static [&'static str],
}

const fn row(parts: &'static [CausePart], variables: &'static [&'static str]) -> GovernedCauses {
    GovernedCauses { parts, variables }
}

#[rustfmt::skip]
pub(super) const TABLE: &[GovernedCauses] = &[
    // Files.
    row(&[call(&[Binlog], Fsync, &[])], &["log_bin", "max_binlog_size", "sql_log_bin", "sync_binlog"]),
    row(&[call(&[Binlog], Write, &[])], &["binlog_format", "binlog_row_image", "log_bin", "sql_log_bin"]),
    row(
        &[call(&[Redo], Fsync, &[]), waits(&[Wait::RedoFlush, Wait::RedoWriter])],
        &[
            "innodb_flush_log_at_timeout", "innodb_flush_log_at_trx_commit", "innodb_redo_log_capacity",
            "innodb_use_fdatasync",
        ],
    ),
    row(
        &[call(&[Redo], Write, &[])],
        &["innodb_flush_log_at_trx_commit", "innodb_log_file_buffering"],
    ),
    row(
        &[call(&[Data, Undo, Doublewrite], Fsync, &[]), call(&[Data, Undo, Doublewrite], Write, &[])],
        &["innodb_flush_method", "innodb_use_fdatasync"],
    ),
    row(
        &[call(&[Temporary], Fsync, &[]), call(&[Temporary], Write, &[]), call(&[Temporary], Read, &[])],
        &["binlog_cache_size"],
    ),
    row(&[call(&[Data, Undo], Read, &[]), waits(&[Wait::FreePage])], &["innodb_buffer_pool_size"]),
    // Redo log.
    row(&[waits(&[Wait::RedoCopy, Wait::RedoWriter])], &["innodb_log_writer_threads"]),
    row(&[waits(&[Wait::RedoSpace])], &["innodb_log_file_size", "innodb_redo_log_capacity"]),
    row(&[waits(&[Wait::LogBufferSpace])], &["innodb_log_buffer_size"]),
    // Group commit and binary log.
    row(
        &[waits(&[Wait::GroupDelay])],
        &[
            "binlog_commit_wait_count", "binlog_commit_wait_usec", "binlog_group_commit_sync_delay",
            "binlog_group_commit_sync_no_delay_count",
        ],
    ),
    row(&[waits(&[Wait::CommitStage])], &["binlog_order_commits"]),
    row(&[waits(&[Wait::BinlogRotation])], &["max_binlog_size"]),
    // Replication.
    row(
        &[waits(&[Wait::CommitOrder])],
        &["replica_preserve_commit_order", "slave_parallel_mode", "slave_preserve_commit_order"],
    ),
    row(&[waits(&[Wait::FlowControl])], &["group_replication_flow_control_mode"]),
    row(
        &[waits(&[Wait::SemisyncAck])],
        &[
            "rpl_semi_sync_master_enabled", "rpl_semi_sync_master_timeout", "rpl_semi_sync_master_wait_point",
            "rpl_semi_sync_source_enabled", "rpl_semi_sync_source_timeout", "rpl_semi_sync_source_wait_point",
            "sync_relay_log",
        ],
    ),
    // Statements.
    row(&[waits(&[Wait::RunQueue])], &["thread_handling", "thread_pool_size"]),
    row(&[waits(&[Wait::RowLock])], &["innodb_lock_wait_timeout"]),
    row(
        &[waits(&[Wait::MetadataLock, Wait::GlobalReadLock, Wait::CommitLock, Wait::BackupLock])],
        &["lock_wait_timeout"],
    ),
    row(&[waits(&[Wait::QueryLogLock])], &["general_log", "log_output", "slow_query_log"]),
    row(&[waits(&[Wait::Doublewrite])], &["innodb_doublewrite_pages"]),
    row(&[waits(&[Wait::InnodbQueue])], &["innodb_thread_concurrency"]),
    row(&[waits(&[Wait::PurgeLag])], &["innodb_max_purge_lag"]),
    row(&[waits(&[Wait::AdaptiveHash])], &["innodb_adaptive_hash_index"]),
    row(&[waits(&[Wait::AutoIncrementLock])], &["innodb_autoinc_lock_mode"]),
    row(&[waits(&[Wait::QueryCache])], &["query_cache_type"]),
    row(&[waits(&[Wait::TableCache])], &["table_open_cache"]),
];

/// Returns the variables that govern causes, some of them more than once.
pub fn governing_variables() -> impl Iterator<Item = &'static str> {
    TABLE.iter().flat_map(|row| row.variables).copied()
}

/// Returns the variables that govern a wait, on whatever file.
pub(super) fn variables_of(wait: Wait) -> impl Iterator<Item = &'static str> {
    let rows = TABLE.iter().filter(move |row| row.governs(Cause::own(wait)));
    rows.flat_map(|row| row.variables).copied()
}

impl GovernedCauses {
    /// Returns whether a cause is one of them.
    pub(super) fn governs(&self, cause: Cause) -> bool {
        self.parts.iter().any(|part| part.has(cause))
    }
}
