//! What counts as a commit, and what it waits for, in every way in which a server can commit. Needs root.

pub(crate) mod probe;

use logtrace_attribution::cause::{Cause, Wait, Who};
use logtrace_common::{Detail, FileClass, TimeRange};
use logtrace_events::IoOp;
use probe::{Client, Seen};

use crate::common::{beside_others, now_ns};

const REPETITIONS: u32 = 10;

const INSERT: &str = "INSERT INTO t (v) VALUES (1)";

/// Statements, and how often their client commits with them on MySQL and on MariaDB.
const SHAPES: [(&[&str], [usize; 2]); 15] = [
    (&[INSERT], [1, 1]),
    (
        &["BEGIN", INSERT, "UPDATE t SET v = v + 1 WHERE id = 1", "COMMIT"],
        [1, 1],
    ),
    (
        &["SET autocommit = 0", INSERT, "COMMIT", "SET autocommit = 1"],
        [1, 1],
    ),
    // Ended by the next transaction, and by DDL, which is a transaction of its own in MySQL's data dictionary.
    (&["BEGIN", INSERT, "BEGIN", "ROLLBACK"], [1, 1]),
    (&["BEGIN", INSERT, "CREATE TABLE c{n} (id INT)"], [2, 1]),
    (&["DROP TABLE c{n}"], [1, 0]),
    // Nothing to wait for.
    (&["SELECT * FROM t LIMIT 1"], [0, 0]),
    (&["BEGIN", "SELECT * FROM t LIMIT 1", "COMMIT"], [0, 0]),
    (
        &["BEGIN", "SELECT * FROM t WHERE id = 1 FOR UPDATE", "COMMIT"],
        [0, 0],
    ),
    (&["UPDATE t SET v = v WHERE id = 1"], [0, 0]),
    (&["BEGIN", INSERT, "ROLLBACK"], [0, 0]),
    // XA PREPARE and XA COMMIT both wait for the logs.
    (
        &[
            "XA START 'x{n}'",
            INSERT,
            "XA END 'x{n}'",
            "XA PREPARE 'x{n}'",
            "XA COMMIT 'x{n}'",
        ],
        [2, 2],
    ),
    (
        &[
            "XA START 'x{n}'",
            INSERT,
            "XA END 'x{n}'",
            "XA COMMIT 'x{n}' ONE PHASE",
        ],
        [1, 1],
    ),
    (
        &[
            "XA START 'x{n}'",
            INSERT,
            "XA END 'x{n}'",
            "XA PREPARE 'x{n}'",
            "XA ROLLBACK 'x{n}'",
        ],
        [1, 1],
    ),
    (
        &["XA START 'x{n}'", INSERT, "XA END 'x{n}'", "XA ROLLBACK 'x{n}'"],
        [0, 0],
    ),
];

/// What a client's inserts waited for on a server with these settings.
fn inserts(server: &str, settings: &[&str]) -> Seen {
    let _turn = beside_others();
    let mut client = Client::new(server, settings);
    let seen = traced_inserts(&mut client);
    client.stop();
    seen
}

fn traced_inserts(client: &mut Client) -> Seen {
    let seen = client.traced(REPETITIONS, &[INSERT]);
    assert_eq!(seen.commits.len(), REPETITIONS as usize);
    assert!(
        seen.total_ns() < seen.statements_ns,
        "a commit is a part of its statement"
    );
    let unexplained = seen.share(|cause| cause.wait == Wait::Unexplained);
    assert!(unexplained < 0.01, "{unexplained}");
    seen
}

fn is_on(class: FileClass, op: IoOp) -> impl Fn(&Cause) -> bool {
    move |cause| cause.io == Some((class, op))
}

/// Executes each shape some times, one shape after the other. Returns the time of each by the tracer's clock.
fn executed(client: &mut Client) -> Vec<TimeRange> {
    let one = |(statements, _): &(&[&str], _)| {
        let start_ns = now_ns();
        for n in 0..REPETITIONS {
            for statement in *statements {
                client.execute(&statement.replace("{n}", &n.to_string()));
            }
        }
        TimeRange::new(start_ns, now_ns())
    };
    SHAPES.iter().map(one).collect()
}

#[test]
fn what_commits_is_counted_once_and_what_does_not_is_not() {
    let _turn = beside_others();
    for (which, server) in ["mysql", "mariadb"].into_iter().enumerate() {
        let mut client = Client::new(server, &[]);
        let mut ranges = Vec::new();
        let seen = client.traced_at(Detail::default(), |client| ranges = executed(client));
        for ((statements, expected), range) in SHAPES.iter().zip(&ranges) {
            let commits = seen.commits.iter();
            let found = commits.filter(|commit| range.contains(commit.end_ns)).count();
            let expected = expected[which] * REPETITIONS as usize;
            assert_eq!(found, expected, "{server}: {statements:?}");
        }
        let breakdown = &seen.breakdown;
        let causes: u64 = breakdown.causes.iter().map(|row| row.total).sum();
        assert_eq!(causes, breakdown.commits.total, "{server}");
        assert_eq!(breakdown.invariant_violations, 0, "{server}");
        client.stop();
    }
}

#[test]
fn without_a_binlog_only_the_redo_log_is_waited_for() {
    for server in ["mysql", "mariadb"] {
        let seen = inserts(server, &["log_bin=OFF"]);
        assert!(seen.share(is_on(FileClass::Redo, IoOp::Fsync)) > 0.0, "{server}");
        for op in [IoOp::Write, IoOp::Fsync] {
            assert_eq!(seen.share(is_on(FileClass::Binlog, op)), 0.0, "{server}");
        }
    }
}

#[test]
fn redo_is_waited_for_as_the_setting_says() {
    let _turn = beside_others();
    for (server, settings) in [
        ("mysql", &["0", "1", "2"][..]),
        ("mariadb", &["0", "1", "2", "3"]),
    ] {
        let mut client = Client::new(server, &[]);
        for setting in settings {
            client.execute(&format!("SET GLOBAL innodb_flush_log_at_trx_commit = {setting}"));
            let seen = traced_inserts(&mut client);
            let redo =
                seen.share(|cause| is_on(FileClass::Redo, IoOp::Fsync)(cause) && cause.who == Who::Own);
            let durable = matches!(*setting, "1" | "3");
            assert_eq!(redo > 0.0, durable, "{server}, {setting}: {redo}");
            assert!(
                seen.share(is_on(FileClass::Binlog, IoOp::Fsync)) > 0.0,
                "{server}, {setting}"
            );
        }
        client.stop();
    }
}

#[test]
fn the_redo_threads_of_mysql_are_in_the_background() {
    let seen = inserts("mysql", &["innodb_log_writer_threads=ON"]);
    let fsync = is_on(FileClass::Redo, IoOp::Fsync);
    assert!(seen.share(|cause| fsync(cause) && cause.who == Who::Background) > 0.0);
    assert_eq!(seen.share(|cause| fsync(cause) && cause.who == Who::Own), 0.0);
}

#[test]
fn a_configured_delay_of_the_group_commit_is_found_by_name() {
    for (server, settings) in [
        ("mysql", &["binlog_group_commit_sync_delay=5000"][..]),
        (
            "mariadb",
            &["binlog_commit_wait_count=2", "binlog_commit_wait_usec=5000"],
        ),
    ] {
        let seen = inserts(server, settings);
        let delay_ns =
            seen.share(|cause| cause.wait == Wait::GroupDelay) * seen.breakdown.commits.total as f64;
        assert!(
            delay_ns >= 0.95 * 5e6 * f64::from(REPETITIONS),
            "{server}: {delay_ns} ns of delay, {:?}",
            seen.breakdown.causes
        );
    }
}

#[test]
fn a_rotation_of_the_binlog_is_part_of_the_commit_that_makes_it() {
    let _turn = beside_others();
    for server in ["mysql", "mariadb"] {
        let mut client = Client::new(server, &["max_binlog_size=4096"]);
        let seen = client.traced(
            20,
            &["INSERT INTO t (v) VALUES (1), (2), (3), (4), (5), (6), (7), (8), (9), (10)"],
        );
        client.stop();
        assert_eq!(seen.commits.len(), 20, "{server}");
        let binlogs = seen.breakdown.files.iter();
        let mut binlogs: Vec<&str> = binlogs
            .filter(|file| file.class == FileClass::Binlog)
            .map(|file| file.path.as_str())
            .collect();
        binlogs.sort_unstable();
        binlogs.dedup();
        assert!(binlogs.len() >= 2, "{server}: {binlogs:?}");
        assert!(
            seen.share(|cause| cause.wait == Wait::Unexplained) < 0.01,
            "{server}"
        );
    }
}

#[test]
fn the_thread_pool_of_mariadb_commits_on_any_thread() {
    let _turn = beside_others();
    let mut client = Client::new("mariadb", &["thread_handling=pool-of-threads"]);
    let seen = client.traced(REPETITIONS, &[INSERT]);
    client.stop();
    assert_eq!(seen.breakdown.commits.count, u64::from(REPETITIONS));
    assert!(seen.share(is_on(FileClass::Binlog, IoOp::Fsync)) > 0.0);
    assert!(seen.share(|cause| cause.wait == Wait::Unexplained) < 0.01);
}
