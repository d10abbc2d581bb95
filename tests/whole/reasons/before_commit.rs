//! Locks that statements wait for before they commit, at the default detail: what they waited for, for how long, and which
//! session held it up, with the time in which its client was idle.

use std::time::{Duration, Instant};

use logtrace_attribution::breakdown::{LongWaits, StatementStages};
use logtrace_attribution::cause::Wait;
use logtrace_common::Detail;
use mysql_async::Conn;

use crate::common::{SERVERS, alone, beside_others};
use crate::shapes::probe::{Client, Seen};

/// Time for which a lock is held: longer than the second after which servers look at their clients.
const HELD: Duration = Duration::from_millis(2_500);

/// Lock of a session, and a statement that waits for it.
struct HeldLock {
    hold: &'static [&'static str],
    statement: &'static str,
    release: &'static str,
    wait: Wait,
}

/// A change of a table that an idle session has read in its transaction.
const ALTER: HeldLock = HeldLock {
    hold: &["BEGIN", "SELECT * FROM t"],
    statement: "ALTER TABLE t ADD COLUMN w INT",
    release: "COMMIT",
    wait: Wait::MetadataLock,
};

/// Returns what was seen of the statements, and how long the blocked one took.
fn traced(client: &mut Client, held: &HeldLock, session: &mut Conn) -> (StatementStages, Duration) {
    let mut took = Duration::ZERO;
    let seen: Seen = client.traced_at(Detail::Io, |client| {
        client.execute("DO 1");
        let began = Instant::now();
        client.execute_blocked(held.statement, session, HELD, held.release);
        took = began.elapsed();
        client.execute("DO 1");
        client.execute("DO 1");
    });
    (seen.breakdown.stages.unwrap(), took)
}

/// Returns whether `ns` is within a tenth of the time that a client saw.
fn is_near(ns: u64, took: Duration) -> bool {
    let ratio = Duration::from_nanos(ns).as_secs_f64() / took.as_secs_f64();
    (0.9..=1.01).contains(&ratio)
}

fn row(of: &StatementStages, wait: Wait) -> &LongWaits {
    let mut rows = of.waits.iter();
    rows.find(|row| row.cause.wait == wait)
        .unwrap_or_else(|| panic!("no {wait}: {:?}", of.waits))
}

/// The wait has its length within a tenth, and its holder is the session, whose client was idle nearly all of the time.
fn is_found(held: &HeldLock) {
    for server in SERVERS {
        is_found_on(server, &[], held);
    }
}

fn is_found_on(server: &str, settings: &[&str], held: &HeldLock) {
    let _turn = beside_others();
    let mut client = Client::new(server, settings);
    let mut session = client.session();
    let thread = client.thread_of(&mut session);
    for statement in held.hold {
        client.execute_in(&mut session, statement);
    }
    let (of, took) = traced(&mut client, held, &mut session);
    let found = row(&of, held.wait);
    assert!(
        is_near(found.longest, took) && is_near(found.total, took),
        "{server}: {took:?} {of:?}"
    );
    let [holder] = found.held_by.as_slice() else {
        panic!("{server}: {of:?}");
    };
    assert_eq!(Some(holder.tid), thread, "{server}: {of:?}");
    let idle = Duration::from_nanos(holder.idle);
    assert!(
        is_near(holder.held, took) && idle > HELD.mul_f64(0.9),
        "{server}: {took:?} {holder:?}"
    );
    client.stop();
}

#[test]
fn a_row_lock_of_an_idle_session() {
    is_found(&HeldLock {
        hold: &["BEGIN", "UPDATE t SET v = v + 1 WHERE id = 1"],
        statement: "UPDATE t SET v = v + 1 WHERE id = 1",
        release: "COMMIT",
        wait: Wait::RowLock,
    });
}

#[test]
fn a_locked_table() {
    is_found(&HeldLock {
        hold: &["LOCK TABLES t WRITE"],
        statement: "UPDATE t SET v = v + 1",
        release: "UNLOCK TABLES",
        wait: Wait::MetadataLock,
    });
}

#[test]
fn updates_behind_flush_tables_with_read_lock() {
    is_found(&HeldLock {
        hold: &["FLUSH TABLES WITH READ LOCK"],
        statement: "UPDATE t SET v = v + 1",
        release: "UNLOCK TABLES",
        wait: Wait::GlobalReadLock,
    });
}

#[test]
fn a_changed_table_of_mariadb_behind_flush_tables_with_read_lock() {
    is_found_on(
        "mariadb",
        &["performance_schema=ON"],
        &HeldLock {
            hold: &["FLUSH TABLES WITH READ LOCK"],
            release: "UNLOCK TABLES",
            wait: Wait::GlobalReadLock,
            ..ALTER
        },
    );
}

#[test]
fn a_table_that_an_idle_session_has_read_is_altered() {
    is_found(&ALTER);
}

#[test]
fn an_altered_table_of_mariadb_with_the_performance_schema_on() {
    is_found_on("mariadb", &["performance_schema=ON"], &ALTER);
}

#[test]
fn an_update_behind_an_alter_waits_for_whom_that_waits() {
    // Compares times of three sessions.
    let _turn = alone();
    for server in SERVERS {
        let mut client = Client::new(server, &[]);
        let mut reader = client.session();
        let mut alter = client.session();
        let thread = client.thread_of(&mut reader);
        client.execute_in(&mut reader, "BEGIN");
        client.execute_in(&mut reader, "SELECT * FROM t");
        let seen = client.traced_at(Detail::Io, |client| {
            client.execute("DO 1");
            client.execute_behind(
                ("ALTER TABLE t ADD COLUMN w INT", &mut alter),
                "UPDATE t SET v = v + 1",
                (HELD, "COMMIT", &mut reader),
            );
            client.execute("DO 1");
            client.execute("DO 1");
            client.execute_in(&mut alter, "DO 1");
            client.execute_in(&mut alter, "DO 1");
        });
        let of = seen.breakdown.stages.unwrap();
        let found = row(&of, Wait::MetadataLock);
        let holder = &found.held_by[0];
        assert_eq!(Some(holder.tid), thread, "{server}: {of:?}");
        // Both waited for it at the same time.
        assert!(
            holder.count == 2 && holder.total > holder.held * 3 / 2,
            "{server}: {holder:?}"
        );
        let idle = Duration::from_nanos(holder.idle);
        assert!(idle > HELD.mul_f64(0.8), "{server}: {holder:?}");
        client.stop();
    }
}

#[test]
fn a_quiet_client_accuses_nobody() {
    let _turn = beside_others();
    for server in SERVERS {
        let mut client = Client::new(server, &[]);
        let seen = client.traced(100, &["UPDATE t SET v = v + 1", "SELECT * FROM t"]);
        let of = seen.breakdown.stages.unwrap();
        assert!(
            of.waits
                .iter()
                .all(|row| row.held_by.is_empty() && !row.cause.wait.is_lock()),
            "{server}: {of:?}"
        );
        // On a busy machine a request comes before its thread waits for it.
        assert!(of.total > 0 && of.total <= seen.statements_ns, "{server}: {of:?}");
        assert!(of.commit > 0 && of.after_commit > 0, "{server}: {of:?}");
        client.stop();
    }
}
