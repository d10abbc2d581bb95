//! Table of the waits of both servers that end by time, and of what a thread does then.
//!
//! A thread that only looks, and waits again for the same, waits in turns: they are one wait. The table has the functions
//! that call `pthread_cond_timedwait()`, `pthread_cond_clockwait()` and `os_event_wait_time_low()` in MySQL 9.7.4 and
//! MariaDB 10.11.19 of Debian; what a thread does then was read in the sources of MySQL 8.0.39 and MariaDB 10.11.

use crate::causes::server_rules::pattern::is_named;

/// Wait of a server that ends by time.
struct TimedWait {
    /// Function that waits, named as in the table of rules.
    function: &'static str,
    at_its_end: AtItsEnd,
}

/// Activity of a thread whose time has run out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum AtItsEnd {
    /// It looks, and waits again for the same.
    WaitsAgain,
    /// It gives up, or has waited as long as it was to.
    GoesOn,
    /// It does what it has to do then, and waits for its next time: nothing that another thread does is waited for.
    Works,
}

use AtItsEnd::{GoesOn, WaitsAgain, Works};

const fn wait(function: &'static str, at_its_end: AtItsEnd) -> TimedWait {
    TimedWait { function, at_its_end }
}

/// Waits of both servers, with the time of each and the source file. Threads that serve no commit, such as monitors, those of
/// plugins for other purposes and of NDB, are left out.
#[rustfmt::skip]
const TIMED_WAITS: &[TimedWait] = &[
    // MySQL 8.0 to 9.7, if nothing else is said; sql/.
    // 1 s, then it looks at its client. mdl.cc; in MariaDB too, and there the client since 10.5
    wait("MDL_context::acquire_lock*", WaitsAgain),
    // A year in 8.0; seen to end after 1 s in 9.7. rpl_replica_commit_order_manager.cc
    wait("Commit_order_manager::wait_on_graph", WaitsAgain),
    // 1 s, since 8.0.30. rpl_commit_stage_manager.cc
    wait("Commit_stage_manager::wait_for_ticket_turn", WaitsAgain),
    // What the statement gives. rpl_gtid_state.cc, rpl_rli.cc
    wait("Gtid_state::wait_for_sidno", GoesOn),
    wait("Relay_log_info::wait_for_gtid_set", GoesOn),
    // Both servers: what the statement gives; lock_wait_timeout. rpl_rli.cc, table.cc
    wait("Relay_log_info::wait_for_pos", GoesOn),
    wait("TABLE_SHARE::wait_for_old_version", GoesOn),
    // Both servers: 5 s, then it looks at its client; SLEEP() and GET_LOCK(). item_func.cc
    wait("Interruptible_wait::wait", WaitsAgain),
    // Both servers: lock_wait_timeout. mysys/thr_lock.cc
    wait("thr_lock", GoesOn),
    // A heartbeat's period, in the thread that sends the binlog. binlog.cc
    wait("MYSQL_BIN_LOG::wait_for_update", Works),
    // Both servers. event_queue.cc, event_scheduler.cc
    wait("Event_queue::cond_wait", Works),
    wait("Event_scheduler::cond_wait", Works),
    // plugin/semisync/semisync_source.cc: rpl_semi_sync_source_timeout. Its names are not exported.
    wait("ReplSemiSyncMaster::commitTrx", GoesOn),
    // plugin/group_replication: 1 s (plugin_utils.h), and for the flow control's next period (pipeline_stats.cc).
    wait("CountDownLatch::wait", WaitsAgain),
    wait("Wait_ticket*", WaitsAgain),
    wait("Flow_control_module::do_wait", GoesOn),
    // storage/innobase/log/log0write.cc: 1 ms, and longer up to 100 ms; log0buf.cc: 100 ms, 1 s
    wait("log_wait_for_write", WaitsAgain),
    wait("log_wait_for_flush", WaitsAgain),
    wait("log_buffer_wait_for_ready_for_write_lsn", GoesOn),
    wait("log_buffer_reserve", WaitsAgain),
    wait("log_buffer_x_lock_enter", WaitsAgain),
    // 100 us and 100 ms. log0write.cc, log0files_governor.cc
    wait("log_writer_wait_on_checkpoint*", WaitsAgain),
    wait("log_files_wait_for_next_file_available", WaitsAgain),
    wait("log_write_up_to", WaitsAgain),
    // The log threads: from 1 ms on, until there is something to do. log0write.cc, log0chkp.cc
    wait("log_writer", WaitsAgain),
    wait("log_flusher", WaitsAgain),
    wait("log_write_notifier", WaitsAgain),
    wait("log_flush_notifier", WaitsAgain),
    wait("log_checkpointer", Works),
    wait("log_files_governor", Works),
    // lock/lock0wait.cc, srv/srv0srv.cc, dict/dict0stats_bg.cc, clone/clone0repl.cc
    wait("lock_wait_timeout_thread", Works),
    wait("srv_purge_coordinator_thread", Works),
    wait("dict_stats_thread", Works),
    wait("Clone_persist_gtid::periodic_write", Works),

    // MariaDB 10.5 to 11.8, sql/.
    // binlog_commit_wait_usec, in one wait; a heartbeat's period. log.cc
    wait("MYSQL_BIN_LOG::wait_for_sufficient_commits", GoesOn),
    wait("MYSQL_BIN_LOG::wait_for_update_binlog_end_pos", Works),
    // rpl_semi_sync_master_timeout, and the same at a shutdown. semisync_master.cc
    wait("Repl_semi_sync_master::commit_trx", GoesOn),
    wait("Repl_semi_sync_master::await_all_slave_replies", GoesOn),
    // What the statement gives. rpl_gtid.cc, wsrep_utils.h
    wait("gtid_waiting::wait_for_gtid", GoesOn),
    wait("Wsrep_gtid_server::wait_gtid_upto", GoesOn),
    // 50 ms. sql_cache.cc
    wait("Query_cache::try_lock", GoesOn),
    // 1 s. wsrep_client_service.cc
    wait("Wsrep_client_service::wait_for_replayers", WaitsAgain),
    // 60 s. mysys/my_write.c, log.cc
    wait("mariadb_sleep_for_space", WaitsAgain),
    // Idle threads of the pool and of connections, and the thread that ends statements that take too long.
    // threadpool_generic.cc, mysqld.cc, sql_manager.cc, tpool/tpool_generic.cc
    wait("get_event", Works),
    wait("do_handle_one_connection", Works),
    wait("handle_manager", Works),
    wait("tpool::thread_pool_generic::wait_for_tasks", Works),
    // InnoDB, where its functions have names: innodb_lock_wait_timeout. lock/lock0lock.cc
    wait("lock_wait", GoesOn),
];

/// Returns whether a stack with these frames is one of a thread that waits in turns. The innermost function of the table
/// decides.
pub(crate) fn is_in_turns(frames: &[&str]) -> bool {
    let at_its_end = frames.iter().find_map(|frame| {
        let wait = TIMED_WAITS.iter().find(|wait| is_named(frame, wait.function))?;
        Some(wait.at_its_end)
    });
    at_its_end == Some(AtItsEnd::WaitsAgain)
}
