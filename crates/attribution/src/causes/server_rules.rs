//! Rules for stacks of the server at long waits: a table of functions of MySQL and MariaDB and their waits.
//!
//! A stack is read from the innermost frame outwards. Functions that only show how a thread waits (of libc, of mutexes, of
//! events) are skipped. Then the first function in the table decides. Names without parameters end with `*` where all
//! functions with this beginning are meant. Checked with MySQL 8.0 to 9.7 and MariaDB 10.5 to 11.8; where builds hide
//! InnoDB's functions (Debian's MariaDB), the handler's function around them decides, with a less exact wait.

use crate::causes::wait::Wait;

/// Function of a server and the wait of a thread that waits in it.
struct Rule {
    function: &'static str,
    condition: Condition,
    wait: Wait,
}

/// Condition of a rule, besides the function's name.
#[derive(Clone, Copy)]
enum Condition {
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

/// Meaning of a stack of the server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum ServerReason {
    /// A rule recognises it.
    Known(Wait),
    /// No rule recognises it; the innermost function of the server with a name.
    Function(String),
}

/// Returns the meaning of a stack with these frames (innermost first), or `None` if no function of the server has a name.
pub(crate) fn server_reason(frames: &[String]) -> Option<ServerReason> {
    let names: Vec<&str> = frames.iter().map(String::as_str).collect();
    let inner = names.iter().take_while(|name| is_skipped(name)).count();
    let outer = &names[inner..];
    let known = (0..outer.len()).find_map(|at| wait_at(&names[..inner], outer, at));
    // Whichever function needs it.
    let metadata = names[..inner].iter().any(|name| is_named(name, "MDL_*"));
    let known = known.or(metadata.then_some(Wait::MetadataLock));
    known.map(ServerReason::Known).or_else(|| {
        let named = outer
            .iter()
            .find(|name| !has_no_name(name) && !is_skipped(name))?;
        Some(ServerReason::Function((*named).to_owned()))
    })
}

fn wait_at(skipped: &[&str], outer: &[&str], at: usize) -> Option<Wait> {
    let rule = RULES.iter().find(|rule| {
        is_named(outer[at], rule.function)
            && match rule.condition {
                Condition::Always => true,
                Condition::Through(function) => {
                    let inside = skipped.iter().chain(&outer[..at]);
                    inside.into_iter().any(|name| is_named(name, function))
                }
                Condition::Under(function) => outer[at + 1..].iter().any(|name| is_named(name, function)),
                Condition::Direct => at == 0,
                Condition::Hidden(function) => {
                    skipped.iter().any(|name| is_named(name, function))
                        && outer[..at].iter().all(|name| has_no_name(name))
                }
            }
    })?;
    Some(rule.wait)
}

/// Returns whether a frame has the name of its file and an address only.
fn has_no_name(frame: &str) -> bool {
    frame.contains("+0x")
}

fn is_skipped(name: &str) -> bool {
    SKIPPED.iter().any(|skipped| is_named(name, skipped))
}

/// Returns whether a name matches a pattern, in which `*` stands for any end.
fn is_named(name: &str, pattern: &str) -> bool {
    match pattern.strip_suffix('*') {
        Some(beginning) => name.starts_with(beginning),
        None => name == pattern,
    }
}

const fn rule(function: &'static str, wait: Wait) -> Rule {
    Rule {
        function,
        condition: Condition::Always,
        wait,
    }
}

const fn rule_if(function: &'static str, condition: Condition, wait: Wait) -> Rule {
    Rule {
        function,
        condition,
        wait,
    }
}

/// Functions that show how a thread waits, and not for what.
const SKIPPED: &[&str] = &[
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

use Condition::{Direct, Hidden, Through, Under};

#[rustfmt::skip]
const RULES: &[Rule] = &[
    // Redo log of MySQL. storage/innobase/log/log0buf.cc, log0write.cc, log0chkp.cc, log0files_governor.cc
    rule("log_buffer_wait_for_ready_for_write_lsn", Wait::RedoCopy),
    rule_if("log_write_up_to", Through("os_event::timed_wait"), Wait::RedoWriter),
    rule_if("log_write_up_to", Through("pthread_cond_timedwait*"), Wait::RedoWriter),
    rule_if("log_write_up_to", Through("pthread_cond_clockwait*"), Wait::RedoWriter),
    rule("log_wait_for_write", Wait::RedoWriter),
    rule("log_wait_for_flush", Wait::RedoWriter),
    rule("log_write_up_to", Wait::RedoFlush),
    rule("log_writer_wait_on_checkpoint*", Wait::RedoSpace),
    rule("log_files_wait_for_next_file_available", Wait::RedoSpace),
    rule("log_free_check_wait", Wait::RedoSpace),
    rule("log_writer_wait_on_consumers", Wait::RedoLocked),
    rule("log_writer_wait_on_archiver", Wait::RedoLocked),
    rule("log_buffer_x_lock_enter", Wait::RedoLocked),
    rule("mtr_t::Logging::wait_no_log_mtr", Wait::RedoLocked),
    rule("Clone_handler::*", Wait::RedoLocked),
    rule_if("log_buffer_reserve", Direct, Wait::RedoLocked),
    rule("log_buffer_reserve", Wait::LogBufferSpace),
    rule("log_buffer_write_completed", Wait::RedoWindow),
    rule("Buf_flush_list_added_lsns::wait_to_add", Wait::RedoWindow),
    rule("log_wait_for_space_in_log_recent_closed", Wait::RedoWindow),
    // Redo log of MariaDB. storage/innobase/log/log0sync.cc, log0log.cc, buf/buf0flu.cc; sql/sql_class.cc
    rule("group_commit_lock::*", Wait::RedoFlush),
    rule("log_checkpoint_margin", Wait::RedoSpace),
    rule("log_free_check", Wait::RedoSpace),
    rule("buf_flush_wait*", Wait::RedoSpace),
    rule("thd_async_state::wait_for_pending_ops", Wait::RedoFlush),
    rule_if("do_command", Hidden("pthread_cond_*"), Wait::RedoFlush),

    // Group commit and binary log of MySQL. sql/binlog.cc, sql/rpl_commit_stage_manager.cc, sql/rpl_gtid_state.cc
    rule("MYSQL_BIN_LOG::wait_for_prep_xids", Wait::BinlogRotation),
    rule("Commit_stage_manager::wait_count_or_timeout", Wait::GroupDelay),
    // In MySQL 8.0.15, for example.
    rule("Stage_manager::wait_count_or_timeout", Wait::GroupDelay),
    rule("Commit_stage_manager::wait_for_ticket_turn", Wait::GroupReplication),
    rule_if("Commit_stage_manager::enroll_for", Through("pthread_cond_*"), Wait::GroupLeader),
    rule("Commit_stage_manager::*", Wait::CommitStage),
    rule("MYSQL_BIN_LOG::change_stage", Wait::CommitStage),
    rule("Commit_order_manager::*", Wait::CommitOrder),
    rule("Gtid_state::*", Wait::GtidState),
    rule("Clone_persist_gtid::*", Wait::GtidState),
    rule("Wait_ticket*", Wait::GroupReplication),
    rule("Flow_control_module::do_wait", Wait::FlowControl),
    // Semi-synchronous replication. sql/rpl_handler.cc of MySQL, sql/semisync_master.cc of MariaDB
    rule("Binlog_storage_delegate::after_sync", Wait::SemisyncAck),
    rule("Trans_delegate::after_commit", Wait::SemisyncAck),
    rule("ReplSemiSyncMaster::commitTrx", Wait::SemisyncAck),
    rule("Repl_semi_sync_master::commit_trx", Wait::SemisyncAck),
    rule("group_replication_trans_before_commit", Wait::GroupReplication),
    // Group commit and binary log of MariaDB. sql/log.cc, sql/sql_class.cc
    rule("THD::wait_for_wakeup_ready", Wait::GroupLeader),
    rule("MYSQL_BIN_LOG::wait_for_sufficient_commits", Wait::GroupDelay),
    rule("MYSQL_BIN_LOG::trx_group_commit_leader", Wait::CommitStage),
    rule("MYSQL_BIN_LOG::trx_group_commit_with_engines", Wait::CommitStage),
    rule("MYSQL_BIN_LOG::queue_for_group_commit", Wait::CommitStage),
    rule("wait_for_commit::wait_for_prior_commit2", Wait::CommitOrder),
    rule("MYSQL_BIN_LOG::wait_for_last_checkpoint_event", Wait::BinlogRotation),
    rule_if("MYSQL_BIN_LOG::open", Through("pthread_cond_*"), Wait::BinlogRotation),
    rule_if("MYSQL_BIN_LOG::reset_logs", Through("pthread_cond_*"), Wait::BinlogRotation),
    // Galera. sql/wsrep_*.cc of MariaDB, libgalera_smm.so
    rule("wsrep*", Wait::Galera),
    rule("Wsrep*", Wait::Galera),
    rule("galera::*", Wait::Galera),
    rule("gcs_*", Wait::Galera),
    rule("libgalera_smm.so+0x*", Wait::Galera),

    // Locks on metadata. sql/mdl.cc, sql/lock.cc, sql/sql_base.cc, sql/handler.cc; thr_lock.c
    rule_if("ha_commit_trans", Through("MDL_*"), Wait::CommitLock),
    rule("acquire_shared_global_read_lock", Wait::GlobalReadLock),
    rule("Global_read_lock::*", Wait::GlobalReadLock),
    rule("acquire_shared_backup_lock", Wait::BackupLock),
    rule("acquire_exclusive_backup_lock", Wait::BackupLock),
    rule("run_backup_stage", Wait::BackupLock),
    rule("TABLE_SHARE::wait_for_old_version", Wait::FlushTables),
    rule("tdc_wait_for_old_version", Wait::FlushTables),
    rule("thr_lock", Wait::TableLock),
    rule("thr_multi_lock", Wait::TableLock),
    rule("get_table_share", Wait::TableCache),
    rule("tc_acquire_table", Wait::TableCache),
    rule("tc_add_table", Wait::TableCache),
    rule("TDC_element::flush*", Wait::TableCache),
    rule("tdc_remove_referenced_share", Wait::TableCache),
    rule_if("open_table", Through("MDL_*"), Wait::MetadataLock),
    rule_if("open_tables*", Through("MDL_*"), Wait::MetadataLock),
    rule_if("open_table_get_mdl_lock*", Through("MDL_*"), Wait::MetadataLock),
    rule_if("lock_table_names*", Through("MDL_*"), Wait::MetadataLock),
    rule("open_table", Wait::TableCache),
    rule("close_thread_table", Wait::TableCache),

    // Locks and latches of InnoDB, where its functions have names. storage/innobase/lock, row, buf, fil, srv, btr, dict
    rule_if("lock_wait_suspend_thread", Under("row_lock_table_autoinc_for_mysql"), Wait::AutoIncrementLock),
    rule_if("lock_wait_suspend_thread", Under("innobase_lock_autoinc"), Wait::AutoIncrementLock),
    rule("lock_wait_suspend_thread", Wait::RowLock),
    rule_if("lock_wait", Under("row_lock_table_autoinc*"), Wait::AutoIncrementLock),
    rule("lock_wait", Wait::RowLock),
    rule("buf_LRU_get_free_block", Wait::FreePage),
    rule("Double_write::*", Wait::Doublewrite),
    rule("buf_dblwr_t::*", Wait::Doublewrite),
    rule("Fil_shard::space_*", Wait::FileExtension),
    rule("srv_conc_enter_innodb*", Wait::InnodbQueue),
    rule_if("ha_innobase::write_row", Direct, Wait::InnodbQueue),
    rule_if("ha_innobase::delete_row", Direct, Wait::InnodbQueue),
    rule_if("ha_innobase::update_row", Direct, Wait::InnodbQueue),
    rule_if("ha_innobase::general_fetch", Direct, Wait::InnodbQueue),
    rule_if("ha_innobase::index_read", Direct, Wait::InnodbQueue),
    rule("row_mysql_delay_if_needed", Wait::PurgeLag),
    rule("buf_page_get_gen", Wait::PageLatch),
    rule("Buf_fetch*", Wait::PageLatch),
    rule("btr_search_*", Wait::AdaptiveHash),
    rule("dict_*", Wait::Dictionary),
    rule("trx_undo_*", Wait::UndoLatch),
    rule("trx_purge*", Wait::UndoLatch),
    rule("trx_rseg_*", Wait::UndoLatch),
    rule("lock_rec_*", Wait::LockSystem),
    rule("lock_clust_rec_*", Wait::LockSystem),
    rule("lock_sec_rec_*", Wait::LockSystem),
    rule("lock_trx_*", Wait::LockSystem),
    rule("lock_sys_*", Wait::LockSystem),
    rule("locksys::*", Wait::LockSystem),
    // The same where they have none: all that is known is the handler's function around them.
    rule_if("handler::ha_*", Hidden("syscall"), Wait::InnodbLatch),
    rule_if("handler::ha_write_row", Hidden("*"), Wait::InnodbWait),
    rule_if("handler::ha_update_row", Hidden("*"), Wait::InnodbWait),
    rule_if("handler::ha_delete_row", Hidden("*"), Wait::InnodbWait),
    rule_if("handler::ha_index_*", Hidden("*"), Wait::InnodbWait),
    rule_if("handler::ha_rnd_*", Hidden("*"), Wait::InnodbWait),
    rule_if("ha_commit_trans", Hidden("syscall"), Wait::RedoFlush),

    // Logs of statements, caches, other engines, and full disks. sql/log.cc, sql/sql_cache.cc, mysys/my_write.c
    rule("File_query_log::*", Wait::QueryLogLock),
    rule("MYSQL_QUERY_LOG::write", Wait::QueryLogLock),
    rule("Query_cache::*", Wait::QueryCache),
    rule("translog_*", Wait::AriaLog),
    rule("mariadb_sleep_for_space", Wait::DiskFull),
    rule("wait_for_free_space", Wait::DiskFull),

    // Sleeps that a statement or a thread asks for. sql/item_func.cc
    rule("Item_func_sleep::*", Wait::Timer),
];

#[cfg(test)]
mod tests {
    use super::*;

    fn reason(stack: &str) -> Option<ServerReason> {
        let frames: Vec<String> = stack.split(" < ").map(str::to_owned).collect();
        server_reason(&frames)
    }

    #[test]
    fn redo_of_another_transaction_is_found_under_the_flush_stage() {
        let stack = "libc.so.6+0x8c8c0 < pthread_cond_timedwait < os_event::timed_wait < os_event::wait_time_low < \
                     log_buffer_wait_for_ready_for_write_lsn < log_write_up_to < ha_flush_logs < \
                     MYSQL_BIN_LOG::fetch_and_process_flush_stage_queue < MYSQL_BIN_LOG::ordered_commit";
        assert_eq!(reason(stack), Some(ServerReason::Known(Wait::RedoCopy)));
    }

    #[test]
    fn the_way_of_waiting_tells_the_log_threads_from_another_flusher() {
        let timed =
            "pthread_cond_timedwait < os_event::timed_wait < log_write_up_to < trx_flush_log_if_needed";
        assert_eq!(reason(timed), Some(ServerReason::Known(Wait::RedoWriter)));
        let untimed = "pthread_cond_wait < os_event::wait_low < log_write_up_to < trx_flush_log_if_needed";
        assert_eq!(reason(untimed), Some(ServerReason::Known(Wait::RedoFlush)));
    }

    #[test]
    fn a_metadata_lock_is_named_by_who_needs_it() {
        let lock = "pthread_cond_timedwait < MDL_wait::timed_wait < MDL_context::acquire_lock";
        for (caller, wait) in [
            ("ha_commit_trans", Wait::CommitLock),
            ("open_table", Wait::MetadataLock),
            ("Global_read_lock::lock_global_read_lock", Wait::GlobalReadLock),
            ("acquire_shared_backup_lock", Wait::BackupLock),
            ("lock_schema_name", Wait::MetadataLock),
        ] {
            assert_eq!(
                reason(&format!("{lock} < {caller}")),
                Some(ServerReason::Known(wait)),
                "{caller}"
            );
        }
    }

    #[test]
    fn a_function_without_a_rule_is_named() {
        let stack = "pthread_cond_wait < mysqld+0x12ab00 < Some_plugin::wait < do_command";
        let named = ServerReason::Function("Some_plugin::wait".to_owned());
        assert_eq!(reason(stack), Some(named));
        assert_eq!(reason("pthread_cond_wait < mysqld+0x12ab00"), None);
    }

    #[test]
    fn every_rule_can_match() {
        for (at, one) in RULES.iter().enumerate() {
            let hides = |before: &Rule| {
                matches!(before.condition, Condition::Always)
                    && is_named(one.function.trim_end_matches('*'), before.function)
            };
            let hidden = RULES[..at].iter().find(|before| hides(before));
            assert!(hidden.is_none(), "{} comes too late", one.function);
        }
    }
}
