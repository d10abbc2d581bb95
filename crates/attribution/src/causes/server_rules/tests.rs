//! Tests of the rules.

use super::*;
use crate::causes::server_rules::table::ServerRule;

fn reason(stack: &str) -> Option<ServerReason> {
    let frames: Vec<String> = stack.split(" < ").map(str::to_owned).collect();
    server_reason(&frames)
}

/// Returns the wait by a rule.
fn wait(stack: &str) -> Option<Wait> {
    match reason(stack)? {
        ServerReason::Known(known) => Some(known.wait),
        ServerReason::Function(_) => None,
    }
}

#[test]
fn redo_of_another_transaction_is_found_under_the_flush_stage() {
    let stack = "libc.so.6+0x8c8c0 < pthread_cond_timedwait < os_event::timed_wait < os_event::wait_time_low < \
                 log_buffer_wait_for_ready_for_write_lsn < log_write_up_to < ha_flush_logs < \
                 MYSQL_BIN_LOG::fetch_and_process_flush_stage_queue < MYSQL_BIN_LOG::ordered_commit";
    assert_eq!(wait(stack), Some(Wait::RedoCopy));
}

#[test]
fn the_way_of_waiting_tells_the_log_threads_from_another_flusher() {
    let timed = "pthread_cond_timedwait < os_event::timed_wait < log_write_up_to < trx_flush_log_if_needed";
    assert_eq!(wait(timed), Some(Wait::RedoWriter));
    let untimed = "pthread_cond_wait < os_event::wait_low < log_write_up_to < trx_flush_log_if_needed";
    assert_eq!(wait(untimed), Some(Wait::RedoFlush));
}

#[test]
fn a_metadata_lock_is_named_by_who_needs_it() {
    let lock = "pthread_cond_timedwait < MDL_wait::timed_wait < MDL_context::acquire_lock";
    for (caller, expected) in [
        ("ha_commit_trans", Wait::CommitLock),
        ("open_table", Wait::MetadataLock),
        ("Global_read_lock::lock_global_read_lock", Wait::GlobalReadLock),
        ("acquire_shared_backup_lock", Wait::BackupLock),
        ("lock_schema_name", Wait::MetadataLock),
    ] {
        assert_eq!(wait(&format!("{lock} < {caller}")), Some(expected), "{caller}");
    }
}

#[test]
fn the_lock_of_all_objects_is_the_global_read_lock_whoever_needs_it_but_a_commit() {
    for (caller, expected) in [
        ("open_table", Wait::GlobalReadLock),
        ("lock_table_names", Wait::GlobalReadLock),
        ("Sql_cmd_alter_table::execute", Wait::GlobalReadLock),
        ("ha_commit_trans", Wait::CommitLock),
        ("run_backup_stage", Wait::BackupLock),
    ] {
        let stack =
            format!("pthread_cond_timedwait < MDL_wait::timed_wait < {LOCK_OF_ALL_OBJECTS} < {caller}");
        assert_eq!(wait(&stack), Some(expected), "{caller}");
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
fn a_worker_of_mariadbs_replica_queues_for_its_turn_and_others_for_a_lock() {
    let queue = "MYSQL_BIN_LOG::queue_for_group_commit < MYSQL_BIN_LOG::write_transaction_to_binlog_events";
    assert_eq!(
        wait(&format!("pthread_cond_wait < {queue}")),
        Some(Wait::CommitOrder)
    );
    assert_eq!(
        wait(&format!("pthread_mutex_lock < {queue}")),
        Some(Wait::CommitStage)
    );
}

#[test]
fn waits_that_are_repeated_are_known_by_the_innermost_function_of_the_table() {
    let is_in_turns = |stack: &str| match reason(stack) {
        Some(ServerReason::Known(known)) => known.is_in_turns,
        _ => panic!("{stack}"),
    };
    let lock = "pthread_cond_timedwait < MDL_wait::timed_wait";
    assert!(is_in_turns(&format!(
        "{lock} < MDL_context::acquire_lock < open_table"
    )));
    assert!(is_in_turns(&format!(
        "{lock} < Commit_order_manager::wait_on_graph"
    )));
    assert!(!is_in_turns(&format!(
        "{lock} < TABLE_SHARE::wait_for_old_version < open_table"
    )));
    assert!(!is_in_turns(
        "pthread_cond_timedwait < MYSQL_BIN_LOG::wait_for_sufficient_commits"
    ));
}

#[test]
fn every_rule_can_match() {
    for (at, one) in RULES.iter().enumerate() {
        let hides = |before: &ServerRule| {
            matches!(before.condition, RuleCondition::Always)
                && is_named(one.function.trim_end_matches('*'), before.function)
        };
        let hidden = RULES[..at].iter().find(|before| hides(before));
        assert!(hidden.is_none(), "{} comes too late", one.function);
    }
}
