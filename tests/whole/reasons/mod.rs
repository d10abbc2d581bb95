//! Known waits in functions of the server, each put into a real server for a known time, and found by its name. Needs root.

mod before_commit;
mod commit_order;
mod cpu;
mod group_replication;
mod many_waits;
mod not_the_waker;
mod o_dsync;
mod on_cpu;
mod reads;
mod rotation;
mod rules;
mod slow_pages;
mod space;
mod wakers;

use std::time::Duration;

use logtrace_attribution::cause::Wait;
use logtrace_common::Detail;
use mysql_async::Conn;

use crate::common::beside_others;
use crate::shapes::probe::{Client, Seen};

/// Time for which a lock is held while the client waits for it. On a busy machine a statement may reach the server a tenth of a
/// second late.
const HELD: Duration = Duration::from_secs(1);

/// Lock of one session, statement of the client that waits for it, and name of the wait.
struct Held {
    /// Statements of the client before.
    before: &'static [&'static str],
    /// Statements of the other session, which then hold a lock.
    hold: &'static [&'static str],
    /// Statement of the client that waits.
    statement: &'static str,
    release: &'static str,
    /// Whether the wait is inside the commit.
    is_in_commit: bool,
    /// Servers, and the wait on each.
    waits: &'static [(&'static str, Wait)],
}

fn nanoseconds(seen: &Seen, is_in_commit: bool, wait: Wait) -> u64 {
    if is_in_commit {
        let rows = seen.breakdown.causes.iter();
        return rows
            .filter(|row| row.cause.wait == wait)
            .map(|row| row.total)
            .sum();
    }
    let statements = seen.breakdown.statements.as_ref().unwrap();
    let rows = statements.causes.iter();
    rows.filter(|row| row.cause.wait == wait)
        .map(|row| row.total)
        .sum()
}

/// Traces a statement that waits for what the session holds. A statement is seen from one wait for the client to the next.
fn traced(client: &mut Client, statement: &str, session: &mut Conn, release: &str) -> Seen {
    client.traced_at(Detail::Full, |client| {
        client.execute("DO 1");
        client.execute_blocked(statement, session, HELD, release);
        client.execute("DO 1");
        client.execute("DO 1");
    })
}

/// The client waits for all of the time but for what it takes to begin, and nearly all of it has the name.
fn is_found(held: &Held) {
    let _turn = beside_others();
    for &(server, wait) in held.waits {
        let mut client = Client::new(server, &[]);
        let mut session = client.session();
        for statement in held.before {
            client.execute(statement);
        }
        for statement in held.hold {
            client.execute_in(&mut session, statement);
        }
        let seen = traced(&mut client, held.statement, &mut session, held.release);
        let found = Duration::from_nanos(nanoseconds(&seen, held.is_in_commit, wait));
        assert!(
            found >= HELD.mul_f64(0.8) && found <= HELD * 3,
            "{server}: {} for {found:?} of {HELD:?}, {:?} {:?}",
            wait,
            seen.breakdown.causes,
            seen.breakdown.statements
        );
        client.stop();
    }
}

#[test]
fn commits_behind_flush_tables_with_read_lock() {
    is_found(&Held {
        before: &["BEGIN", "UPDATE t SET v = v + 1"],
        hold: &["FLUSH TABLES WITH READ LOCK"],
        statement: "COMMIT",
        release: "UNLOCK TABLES",
        is_in_commit: true,
        waits: &[("mysql", Wait::CommitLock), ("mariadb", Wait::CommitLock)],
    });
}

#[test]
fn a_row_that_another_transaction_has_changed() {
    is_found(&Held {
        before: &[],
        hold: &["BEGIN", "UPDATE t SET v = v + 1 WHERE id = 1"],
        statement: "UPDATE t SET v = v + 1 WHERE id = 1",
        release: "COMMIT",
        is_in_commit: false,
        waits: &[("mysql", Wait::RowLock), ("mariadb", Wait::RowLock)],
    });
}

#[test]
fn a_table_that_another_transaction_reads_cannot_be_altered() {
    is_found(&Held {
        before: &[],
        hold: &["BEGIN", "SELECT * FROM t"],
        statement: "ALTER TABLE t ADD COLUMN w INT",
        release: "COMMIT",
        is_in_commit: false,
        waits: &[("mysql", Wait::MetadataLock), ("mariadb", Wait::MetadataLock)],
    });
}

#[test]
fn databases_are_not_created_during_a_backup() {
    is_found(&Held {
        before: &[],
        hold: &["LOCK INSTANCE FOR BACKUP"],
        statement: "CREATE DATABASE other",
        release: "UNLOCK INSTANCE",
        is_in_commit: false,
        // The server takes the lock of the backup and that of the name in one call.
        waits: &[("mysql", Wait::MetadataLock)],
    });
}

#[test]
fn commits_behind_a_backup() {
    is_found(&Held {
        before: &["BEGIN", "UPDATE t SET v = v + 1"],
        hold: &["BACKUP STAGE START", "BACKUP STAGE BLOCK_COMMIT"],
        statement: "COMMIT",
        release: "BACKUP STAGE END",
        is_in_commit: true,
        waits: &[("mariadb", Wait::CommitLock)],
    });
}
