//! Table of server functions: the wait of a thread that waits in one, and the part of the thread that ends the wait.

use crate::causes::server_rules::waker_role::WakerRole;
use crate::causes::wait::Wait;

use RuleCondition::{Direct, Hidden, Through, Under};
use WakerRole::{Completed, Held, Worked};

/// Function of a server and the wait of a thread that waits in it.
#[derive(Clone, Copy)]
pub(crate) struct ServerRule {
    pub(crate) function: &'static str,
    pub(crate) condition: RuleCondition,
    pub(crate) wait: Wait,
    pub(crate) waker: WakerRole,
    /// Whether Debian's builds of a current version name the function.
    pub(crate) is_named_by_packages: bool,
}

/// Condition of a rule, besides the function's name.
#[derive(Clone, Copy)]
pub(crate) enum RuleCondition {
    /// None.
    Always,
    /// A skipped function of this name is further in.
    Through(&'static str),
    /// A function of this name is further out.
    Under(&'static str),
    /// No other function is further in, not even one without a name.
    Direct,
    /// No function with a name is further in, and a skipped function of this name is.
    Hidden(&'static str),
}

const fn rule(function: &'static str, wait: Wait, waker: WakerRole) -> ServerRule {
    ServerRule {
        function,
        condition: RuleCondition::Always,
        wait,
        waker,
        is_named_by_packages: true,
    }
}

const fn rule_if(
    function: &'static str,
    condition: RuleCondition,
    wait: Wait,
    waker: WakerRole,
) -> ServerRule {
    ServerRule {
        function,
        condition,
        wait,
        waker,
        is_named_by_packages: true,
    }
}

/// Marks a rule that no build of a distribution's package can match: the function is not exported, or is of another version. It
/// matches where a program has all its symbols, as the makers' own builds do.
const fn unnamed(rule: ServerRule) -> ServerRule {
    ServerRule {
        is_named_by_packages: false,
        ..rule
    }
}

/// Functions that show how a thread waits, and not for what.
pub(crate) const SKIPPED: &[&str] = &[
    // libc; functions without a symbol have the name of the file.
    "libc.so.6+0x*",
    "libc-2.*",
    "libpthread*",
    "pthread_*",
    "__pthread*",
    "syscall",
    "__syscall*",
    "nanosleep",
    "clock_nanosleep",
    "__clock_nanosleep",
    "usleep",
    "select",
    "std::*",
    // MySQL: storage/innobase/os/os0event.cc, sync/sync0arr.cc, sync/sync0rw.cc, include/ib0mutex.h; mysys, sql/mdl.cc.
    "os_event*",
    "TTASEventMutex*",
    "PolicyMutex*",
    "sync_array_*",
    "mutex_enter_inline*",
    "rw_lock_*",
    "my_sleep",
    "my_cond*",
    "native_*",
    "impl_mysql_*",
    "inline_mysql_*",
    "psi_*",
    "MDL_wait::*",
    "MDL_context::acquire_lock*",
    "MDL_context::try_acquire_lock*",
    // MariaDB: storage/innobase/sync/srw_lock.cc
    "binary_semaphore*",
    "srw_mutex_impl*",
    "ssux_lock_impl*",
    "srw_lock*",
];

#[rustfmt::skip]
pub(crate) const RULES: &[ServerRule] = &[
    // Redo log of MySQL. storage/innobase/log/log0buf.cc, log0write.cc, log0chkp.cc, log0files_governor.cc
    rule("log_buffer_wait_for_ready_for_write_lsn", Wait::RedoCopy, Worked),
    rule_if("log_write_up_to", Through("os_event::timed_wait"), Wait::RedoWriter, Worked),
    rule_if("log_write_up_to", Through("pthread_cond_timedwait*"), Wait::RedoWriter, Worked),
    rule_if("log_write_up_to", Through("pthread_cond_clockwait*"), Wait::RedoWriter, Worked),
    unnamed(rule("log_wait_for_write", Wait::RedoWriter, Worked)),
    unnamed(rule("log_wait_for_flush", Wait::RedoWriter, Worked)),
    rule("log_write_up_to", Wait::RedoFlush, Held),
    rule("log_flush_notifier", Wait::RedoWriter, Worked),
    rule("log_write_notifier", Wait::RedoWriter, Worked),
    rule_if("log_flusher", Direct, Wait::RedoWriter, Worked),
    rule_if("log_writer", Direct, Wait::RedoWriter, Worked),
    unnamed(rule("log_writer_wait_on_checkpoint*", Wait::RedoSpace, Worked)),
    rule("log_files_wait_for_next_file_available", Wait::RedoSpace, Worked),
    rule("log_free_check_wait", Wait::RedoSpace, Worked),
    unnamed(rule("log_writer_wait_on_consumers", Wait::RedoLocked, Held)),
    unnamed(rule("log_writer_wait_on_archiver", Wait::RedoLocked, Held)),
    rule("log_buffer_x_lock_enter", Wait::RedoLocked, Held),
    rule("mtr_t::Logging::wait_no_log_mtr", Wait::RedoLocked, Held),
    rule("Clone_handler::*", Wait::RedoLocked, Held),
    rule_if("log_buffer_reserve", Direct, Wait::RedoLocked, Held),
    rule("log_buffer_reserve", Wait::LogBufferSpace, Held),
    rule("log_buffer_write_completed", Wait::RedoWindow, Completed),
    rule("Buf_flush_list_added_lsns::wait_to_add", Wait::RedoWindow, Completed),
    unnamed(rule("log_wait_for_space_in_log_recent_closed", Wait::RedoWindow, Completed)),
    // Redo log of MariaDB. storage/innobase/log/log0sync.cc, log0log.cc, buf/buf0flu.cc; sql/sql_class.cc
    unnamed(rule("group_commit_lock::*", Wait::RedoFlush, Held)),
    unnamed(rule("log_checkpoint_margin", Wait::RedoSpace, Worked)),
    unnamed(rule("log_free_check", Wait::RedoSpace, Worked)),
    unnamed(rule("buf_flush_wait*", Wait::RedoSpace, Worked)),
    unnamed(rule("thd_async_state::wait_for_pending_ops", Wait::RedoFlush, Held)),
    rule_if("do_command", Hidden("pthread_cond_*"), Wait::RedoFlush, Held),

    // Group commit and binary log of MySQL. sql/binlog.cc, sql/rpl_commit_stage_manager.cc, sql/rpl_gtid_state.cc
    rule("MYSQL_BIN_LOG::wait_for_prep_xids", Wait::BinlogRotation, Held),
    rule("Commit_stage_manager::wait_count_or_timeout", Wait::GroupDelay, Completed),
    // In MySQL 8.0.15, for example.
    unnamed(rule("Stage_manager::wait_count_or_timeout", Wait::GroupDelay, Completed)),
    rule("Commit_stage_manager::wait_for_ticket_turn", Wait::GroupReplication, Completed),
    rule_if("Commit_stage_manager::enroll_for", Through("pthread_cond_*"), Wait::GroupLeader, Held),
    rule("Commit_stage_manager::*", Wait::CommitStage, Held),
    rule("MYSQL_BIN_LOG::change_stage", Wait::CommitStage, Held),
    rule("Commit_order_manager::*", Wait::CommitOrder, Worked),
    rule("Gtid_state::wait_*", Wait::GtidState, Completed),
    rule("Gtid_state::*", Wait::GtidState, Held),
    rule("Clone_persist_gtid::*", Wait::GtidState, Worked),
    rule("Wait_ticket*", Wait::GroupReplication, Completed),
    rule("Flow_control_module::do_wait", Wait::FlowControl, Completed),
    // Semi-synchronous replication. sql/rpl_handler.cc of MySQL, sql/semisync_master.cc of MariaDB
    // They wait for an acknowledgement under a condition, and for their own lock otherwise.
    rule_if("Binlog_storage_delegate::after_sync", Through("pthread_cond_*"), Wait::SemisyncAck, Completed),
    rule("Binlog_storage_delegate::after_sync", Wait::SemisyncAck, Held),
    rule_if("Trans_delegate::after_commit", Through("pthread_cond_*"), Wait::SemisyncAck, Completed),
    rule("Trans_delegate::after_commit", Wait::SemisyncAck, Held),
    unnamed(rule("ReplSemiSyncMaster::commitTrx", Wait::SemisyncAck, Completed)),
    rule_if("Repl_semi_sync_master::commit_trx", Through("pthread_cond_*"), Wait::SemisyncAck, Completed),
    rule("Repl_semi_sync_master::commit_trx", Wait::SemisyncAck, Held),
    rule("group_replication_trans_before_commit", Wait::GroupReplication, Completed),
    // Group commit and binary log of MariaDB. sql/log.cc, sql/sql_class.cc
    rule("THD::wait_for_wakeup_ready", Wait::GroupLeader, Held),
    rule("MYSQL_BIN_LOG::wait_for_sufficient_commits", Wait::GroupDelay, Completed),
    rule("MYSQL_BIN_LOG::trx_group_commit_leader", Wait::CommitStage, Held),
    unnamed(rule("MYSQL_BIN_LOG::trx_group_commit_with_engines", Wait::CommitStage, Held)),
    // A worker of a replica waits there for the one in front, under a condition.
    rule_if("MYSQL_BIN_LOG::queue_for_group_commit", Through("pthread_cond_*"), Wait::CommitOrder, Worked),
    rule("MYSQL_BIN_LOG::queue_for_group_commit", Wait::CommitStage, Held),
    rule("wait_for_commit::wait_for_prior_commit2", Wait::CommitOrder, Worked),
    rule("MYSQL_BIN_LOG::wait_for_last_checkpoint_event", Wait::BinlogRotation, Held),
    rule_if("MYSQL_BIN_LOG::open", Through("pthread_cond_*"), Wait::BinlogRotation, Held),
    rule_if("MYSQL_BIN_LOG::reset_logs", Through("pthread_cond_*"), Wait::BinlogRotation, Held),
    // Galera. sql/wsrep_*.cc of MariaDB, libgalera_smm.so
    rule("wsrep*", Wait::Galera, Completed),
    rule("Wsrep*", Wait::Galera, Completed),
    unnamed(rule("galera::*", Wait::Galera, Completed)),
    rule("gcs_*", Wait::Galera, Completed),
    unnamed(rule("libgalera_smm.so+0x*", Wait::Galera, Completed)),

    // Locks on metadata. sql/mdl.cc, sql/lock.cc, sql/sql_base.cc, sql/handler.cc; thr_lock.c
    rule_if("ha_commit_trans", Through("MDL_*"), Wait::CommitLock, Held),
    rule("acquire_shared_global_read_lock", Wait::GlobalReadLock, Held),
    rule("Global_read_lock::*", Wait::GlobalReadLock, Held),
    rule("acquire_shared_backup_lock", Wait::BackupLock, Held),
    rule("acquire_exclusive_backup_lock", Wait::BackupLock, Held),
    rule("run_backup_stage", Wait::BackupLock, Held),
    rule("TABLE_SHARE::wait_for_old_version", Wait::FlushTables, Held),
    rule("tdc_wait_for_old_version", Wait::FlushTables, Held),
    rule("thr_lock", Wait::TableLock, Held),
    rule("thr_multi_lock", Wait::TableLock, Held),
    rule("get_table_share", Wait::TableCache, Held),
    rule("tc_acquire_table", Wait::TableCache, Held),
    rule("tc_add_table", Wait::TableCache, Held),
    rule("TDC_element::flush*", Wait::TableCache, Held),
    rule("tdc_remove_referenced_share", Wait::TableCache, Held),
    rule_if("open_table", Through("MDL_*"), Wait::MetadataLock, Held),
    rule_if("open_tables*", Through("MDL_*"), Wait::MetadataLock, Held),
    unnamed(rule_if("open_table_get_mdl_lock*", Through("MDL_*"), Wait::MetadataLock, Held)),
    rule_if("lock_table_names*", Through("MDL_*"), Wait::MetadataLock, Held),
    rule("open_table", Wait::TableCache, Held),
    rule("close_thread_table", Wait::TableCache, Held),

    // Locks and latches of InnoDB, where its functions have names. storage/innobase/lock, row, buf, fil, srv, btr, dict
    rule_if("lock_wait_suspend_thread", Under("row_lock_table_autoinc_for_mysql"), Wait::AutoIncrementLock, Held),
    rule_if("lock_wait_suspend_thread", Under("innobase_lock_autoinc"), Wait::AutoIncrementLock, Held),
    rule("lock_wait_suspend_thread", Wait::RowLock, Held),
    unnamed(rule_if("lock_wait", Under("row_lock_table_autoinc*"), Wait::AutoIncrementLock, Held)),
    unnamed(rule("lock_wait", Wait::RowLock, Held)),
    rule("buf_LRU_get_free_block", Wait::FreePage, Worked),
    rule("Double_write::*", Wait::Doublewrite, Worked),
    unnamed(rule("buf_dblwr_t::*", Wait::Doublewrite, Worked)),
    rule("Fil_shard::space_*", Wait::FileExtension, Held),
    rule("srv_conc_enter_innodb*", Wait::InnodbQueue, Held),
    rule_if("ha_innobase::write_row", Direct, Wait::InnodbQueue, Held),
    rule_if("ha_innobase::delete_row", Direct, Wait::InnodbQueue, Held),
    rule_if("ha_innobase::update_row", Direct, Wait::InnodbQueue, Held),
    rule_if("ha_innobase::general_fetch", Direct, Wait::InnodbQueue, Held),
    rule_if("ha_innobase::index_read", Direct, Wait::InnodbQueue, Held),
    unnamed(rule("row_mysql_delay_if_needed", Wait::PurgeLag, Completed)),
    rule("buf_page_get_gen", Wait::PageLatch, Held),
    rule("Buf_fetch*", Wait::PageLatch, Held),
    rule("btr_search_*", Wait::AdaptiveHash, Held),
    rule("dict_*", Wait::Dictionary, Held),
    rule("trx_undo_*", Wait::UndoLatch, Held),
    rule("trx_purge*", Wait::UndoLatch, Held),
    rule("trx_rseg_*", Wait::UndoLatch, Held),
    rule("lock_rec_*", Wait::LockSystem, Held),
    rule("lock_clust_rec_*", Wait::LockSystem, Held),
    rule("lock_sec_rec_*", Wait::LockSystem, Held),
    rule("lock_trx_*", Wait::LockSystem, Held),
    rule("lock_sys_*", Wait::LockSystem, Held),
    rule("locksys::*", Wait::LockSystem, Held),
    // The same where they have none: all that is known is the handler's function around them.
    rule_if("handler::ha_*", Hidden("syscall"), Wait::InnodbLatch, Held),
    rule_if("handler::ha_write_row", Hidden("*"), Wait::InnodbWait, Held),
    rule_if("handler::ha_update_row", Hidden("*"), Wait::InnodbWait, Held),
    rule_if("handler::ha_delete_row", Hidden("*"), Wait::InnodbWait, Held),
    rule_if("handler::ha_index_*", Hidden("*"), Wait::InnodbWait, Held),
    rule_if("handler::ha_rnd_*", Hidden("*"), Wait::InnodbWait, Held),
    rule_if("ha_commit_trans", Hidden("syscall"), Wait::RedoFlush, Held),

    // Logs of statements, caches, other engines, and full disks. sql/log.cc, sql/sql_cache.cc, mysys/my_write.c
    rule("File_query_log::*", Wait::QueryLogLock, Held),
    rule("MYSQL_QUERY_LOG::write", Wait::QueryLogLock, Held),
    rule("Query_cache::*", Wait::QueryCache, Held),
    unnamed(rule("translog_*", Wait::AriaLog, Held)),
    rule("mariadb_sleep_for_space", Wait::DiskFull, Completed),
    rule("wait_for_free_space", Wait::DiskFull, Completed),

    // Sleeps that a statement or a thread asks for. sql/item_func.cc
    rule("Item_func_sleep::*", Wait::Timer, Completed),
];
