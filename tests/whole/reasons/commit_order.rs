//! Commits of a replica's workers wait for the one before them, in the order of the source: that is charged to what the
//! worker before them waits for.

use std::net::Ipv4Addr;
use std::thread::sleep;
use std::time::Duration;

use logtrace_attribution::cause::{Wait, Who};
use logtrace_common::Flavor;
use logtrace_laboratory::foreign::{Foreign, free_port};
use logtrace_laboratory::replication::follow;
use logtrace_report::document::CauseRow;
use mysql_async::Conn;
use mysql_async::prelude::Queryable;

use crate::common::{Running, beside_others, patiently, total};

/// Time for which the row is locked. More than the second after which MySQL's worker looks whether it is its turn.
const HELD: Duration = Duration::from_millis(1_500);

/// Returns the settings of a replica with two workers, the statement that starts it, and what the server says of a worker
/// that waits.
fn workers(flavor: Flavor) -> (&'static [&'static str], &'static str, &'static str) {
    match flavor {
        Flavor::MySql => (
            &["server_id=2", "replica_parallel_workers=2"],
            "START REPLICA",
            "Waiting for preceding transaction to commit",
        ),
        Flavor::MariaDb => (
            &["server_id=2", "slave_parallel_threads=2", "log_slave_updates=ON"],
            "START SLAVE",
            "Waiting for prior transaction to commit",
        ),
    }
}

fn create_table(server: &Foreign) {
    server.tell("CREATE DATABASE d");
    server.tell("CREATE TABLE d.t (id INT PRIMARY KEY, v INT NOT NULL)");
    server.tell("INSERT INTO d.t VALUES (1, 0), (2, 0)");
}

/// Locks the first row in a transaction that stays open.
fn lock_first_row(server: &Foreign) -> Conn {
    server.with(async |mut session| {
        session.query_drop("BEGIN").await.unwrap();
        let lock = "SELECT v FROM d.t WHERE id = 1 FOR UPDATE";
        session.query_drop(lock).await.unwrap();
        session
    })
}

fn a_worker_waits_for_the_row_lock_of_another(flavor: Flavor) {
    let (settings, start, state) = workers(flavor);
    let port = free_port();
    let source = Foreign::start_with(flavor, &[], Some(port));
    let replica = Foreign::start_with(flavor, settings, None);
    create_table(&source);
    create_table(&replica);
    follow(flavor, &source, (Ipv4Addr::LOCALHOST, port).into(), &replica);
    replica.tell(start);
    // Until it has applied something, a replica of MySQL does not know what it need not wait for.
    source.tell("INSERT INTO d.t VALUES (3, 0)");
    let row = |id| format!("SELECT v FROM d.t WHERE id = {id}");
    patiently("the first row", || replica.ask_all::<u64>(&row(3)) == [0]);
    let mut session = lock_first_row(&replica);
    let tracing = Running::start(&format!("trace --pid {}", replica.pid()));
    replica.wait_until_traced();
    // Both may be applied at a time: one group of the binlog, and different rows.
    source.tell("UPDATE d.t SET v = 1 WHERE id = 1");
    source.tell("UPDATE d.t SET v = 1 WHERE id = 2");
    let waiting = format!("SELECT COUNT(*) FROM information_schema.processlist WHERE state LIKE '{state}%'");
    patiently("a worker that waits", || replica.ask::<u64>(&waiting) == 1);
    sleep(HELD);
    replica.with(async |_| session.query_drop("COMMIT").await.unwrap());
    patiently("the update", || replica.ask_all::<u64>(&row(2)) == [1]);
    tracing.interrupt();
    let document = tracing.ended().document();
    let is_lock_of_worker = |row: &CauseRow| row.cause.wait == Wait::RowLock && row.cause.who == Who::Session;
    let found = total(&document, is_lock_of_worker);
    let held = HELD.as_nanos() as u64;
    let turn = total(&document, |row| row.cause.wait == Wait::CommitOrder);
    assert!(
        (held * 9 / 10..held * 5).contains(&found) && turn * 20 < found,
        "{flavor}: {found} of {held} ns, {:?}",
        document.causes
    );
}

#[test]
fn a_worker_of_mysqls_replica_waits_for_the_row_lock_of_another() {
    let _turn = beside_others();
    a_worker_waits_for_the_row_lock_of_another(Flavor::MySql);
}

#[test]
fn a_worker_of_mariadbs_replica_waits_for_the_row_lock_of_another() {
    let _turn = beside_others();
    a_worker_waits_for_the_row_lock_of_another(Flavor::MariaDb);
}
