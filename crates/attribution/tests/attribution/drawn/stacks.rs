//! Stacks of the waits in drawings.

use logtrace_events::Stack;

use super::drawing::{Row, runs};

/// The stack at a block that is drawn as `cell`: in an I/O call, a wait for another thread is for a lock.
pub(crate) fn stack_of(thread: char, cell: char, at_ns: u64, rows: &[Row]) -> Option<u32> {
    let mut calls = rows.iter().filter(|row| row.thread == thread && row.kind == "io");
    let is_in_call = calls.any(|row| {
        let mut runs = runs(&row.cells).into_iter();
        runs.any(|(cell, start_ns, end_ns)| cell != ' ' && start_ns <= at_ns && at_ns < end_ns)
    });
    let cell = if is_in_call && cell.is_ascii_uppercase() {
        'l'
    } else {
        cell
    };
    let at = stacks()
        .iter()
        .position(|stack| stack.frames[0].starts_with(cell));
    at.map(|id| id as u32)
}

/// Stacks whose innermost function begins with the cell that stands for it.
pub(crate) fn stacks() -> Vec<Stack> {
    let frames = [
        ("w", "folio_wait_writeback"),
        ("j", "jbd2_log_wait_commit"),
        ("d", "blkdev_issue_flush"),
        ("u", "some_new_function"),
        ("l", "rwsem_down_write_slowpath"),
        ("i", "filemap_read"),
    ];
    let stack = |(id, (cell, function)): (usize, (&str, &str))| Stack {
        id: id as u32,
        frames: vec![cell.to_owned(), function.to_owned(), "ext4_sync_file".to_owned()],
    };
    frames.into_iter().enumerate().map(stack).collect()
}

/// The server's functions in which threads wait, by the cell that stands for them.
pub(crate) fn functions() -> Vec<(char, Stack)> {
    let functions: [(char, &[&str]); 8] = [
        // MySQL's waits for its log threads, in a session and in a log thread.
        (
            'o',
            &[
                "pthread_cond_timedwait",
                "os_event::timed_wait",
                "log_write_up_to",
            ],
        ),
        (
            'n',
            &[
                "pthread_cond_timedwait",
                "os_event::timed_wait",
                "log_flush_notifier",
            ],
        ),
        (
            'g',
            &[
                "pthread_cond_timedwait",
                "MYSQL_BIN_LOG::wait_for_sufficient_commits",
            ],
        ),
        ('s', &["pthread_mutex_lock", "Commit_stage_manager::enroll_for"]),
        (
            'a',
            &["pthread_cond_timedwait", "Repl_semi_sync_master::commit_trx"],
        ),
        (
            'q',
            &[
                "pthread_cond_timedwait",
                "MDL_wait::timed_wait",
                "Commit_order_manager::wait_on_graph",
            ],
        ),
        (
            'm',
            &[
                "pthread_cond_timedwait",
                "MDL_wait::timed_wait",
                "MDL_context::acquire_lock",
                "open_table",
            ],
        ),
        ('k', &["pthread_cond_wait", "lock_wait_suspend_thread"]),
    ];
    let stack = |(number, (cell, functions)): (u32, (char, &[&str]))| {
        let frames = functions.iter().map(|&name| name.to_owned()).collect();
        (
            cell,
            Stack {
                id: 1 + number,
                frames,
            },
        )
    };
    (0..).zip(functions).map(stack).collect()
}
