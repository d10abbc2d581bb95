//! A large transaction that holds others up is told with its size and name, and so is an idle session with a lock. A usual load
//! accuses nobody.

use std::thread;
use std::time::Duration;

use logtrace_attribution::breakdown::{Holders, NameSource, OverTime, TransactionRow};
use logtrace_attribution::cause::Wait;
use logtrace_common::{Flavor, units};
use logtrace_laboratory::foreign::Foreign;
use mysql_async::Conn;
use mysql_async::prelude::Queryable;

use crate::common::sysbench::{prepare, updates_at};
use crate::common::{Ran, Running, alone, beside_others, patiently, total};

/// Rows of the large transaction, 2^14, and bytes of each: 20 MiB.
const DOUBLINGS: u32 = 14;
const ROW_BYTES: u64 = 1_280;
const BYTES: u64 = ROW_BYTES << DOUBLINGS;

/// Updates of the load, and their rate.
const UPDATES: u32 = 1_200;
const RATE_PER_S: u32 = 300;

/// Length of the time in which the lock is held. The servers let a wait for such a lock end each second and look at their client
/// (MDL_context::acquire_lock() in sql/mdl.cc): whose lock is released just then was woken by nobody.
const HELD: Duration = Duration::from_millis(1_500);

/// Starts a server with sysbench's tables and one with the rows.
fn loaded(flavor: Flavor) -> Foreign {
    let foreign = Foreign::start(flavor);
    prepare(&foreign);
    foreign.tell("CREATE DATABASE d");
    foreign.tell(&format!(
        "CREATE TABLE d.source (id INT PRIMARY KEY, filling VARBINARY({ROW_BYTES}))"
    ));
    foreign.tell("CREATE TABLE d.copy LIKE d.source");
    foreign.tell(&format!(
        "INSERT INTO d.source VALUES (0, REPEAT('x', {ROW_BYTES}))"
    ));
    for doubling in 0..DOUBLINGS {
        foreign.tell(&format!(
            "INSERT INTO d.source SELECT id + {}, filling FROM d.source",
            1 << doubling
        ));
    }
    foreign
}

/// Traces sysbench's load, named in this way, and what is done besides.
fn traced<T>(foreign: &Foreign, way: &str, besides: impl FnOnce(&Foreign) -> T) -> (Ran, T) {
    let tracing = Running::start(&format!("trace {way}"));
    foreign.wait_until_traced();
    let socket = foreign.socket();
    let before = updated(foreign);
    let done = thread::scope(|scope| {
        scope.spawn(|| updates_at(&socket, UPDATES, Some(RATE_PER_S)));
        patiently("some updates", || {
            updated(foreign) > before + u64::from(UPDATES / 6)
        });
        besides(foreign)
    });
    tracing.interrupt();
    (tracing.ended(), done)
}

fn updated(foreign: &Foreign) -> u64 {
    let (_, count): (String, String) = foreign.ask("SHOW GLOBAL STATUS LIKE 'Com_stmt_execute'");
    count.parse().unwrap()
}

/// Copies the rows in one transaction. Its last row takes a second, in which the server can be asked for it.
fn copied(foreign: &Foreign) -> Conn {
    let last = (1 << DOUBLINGS) - 1;
    foreign.with(async |mut conn| {
        let copy = format!("INSERT INTO d.copy SELECT * FROM d.source WHERE id < {last} OR SLEEP(1) = 0");
        conn.query_drop(copy).await.unwrap();
        conn
    })
}

fn holders(ran: &Ran) -> Holders {
    assert_eq!(ran.code(), Some(0), "{}", ran.stderr());
    ran.document().holders.unwrap()
}

/// Returns the largest transaction; on a busy machine, commits may wait longer for another one.
fn largest(holders: &Holders) -> &TransactionRow {
    let rows = holders.transactions.iter();
    rows.max_by_key(|row| row.bytes).unwrap()
}

#[test]
fn a_large_transaction_is_told_with_its_size_and_its_name() {
    let _alone = alone();
    for flavor in [Flavor::MySql, Flavor::MariaDb] {
        let foreign = loaded(flavor);
        let (ran, conn) = traced(&foreign, &foreign.address("root"), copied);
        let holders = holders(&ran);
        let row = largest(&holders);
        let bytes = row.bytes.unwrap_or(0);
        assert!(bytes.abs_diff(BYTES) < BYTES / 10, "{flavor}: {holders:#?}");
        assert!(
            row.together == 1 && row.commits > 0 && row.waited > 0,
            "{flavor}: {row:?}"
        );
        let session = row.session.as_ref().unwrap();
        assert_eq!(
            (session.connection, session.user.as_str(), session.host.as_str()),
            (conn.id().into(), "root", "localhost")
        );
        let statement = session.statement.as_ref().unwrap();
        assert!(
            statement.starts_with("INSERT INTO") && statement.contains("SLEEP") && !statement.contains("= 0"),
            "{flavor}: {statement}"
        );
        let told = words(&ran.stdout());
        assert!(told.contains("A transaction of 2"), "{told}");
        assert!(
            told.contains(&format!("(connection {}, root@localhost: INSERT INTO", conn.id())),
            "{told}"
        );
    }
}

#[test]
fn without_a_login_its_size_is_told_and_what_a_login_would_add() {
    let _alone = alone();
    for flavor in [Flavor::MySql, Flavor::MariaDb] {
        let foreign = loaded(flavor);
        let (ran, _conn) = traced(&foreign, &format!("--pid {}", foreign.pid()), copied);
        let holders = holders(&ran);
        let row = largest(&holders);
        assert!(
            row.bytes.unwrap_or(0).abs_diff(BYTES) < BYTES / 10,
            "{flavor}: {holders:#?}"
        );
        assert_eq!((holders.names, &row.session), (NameSource::NoLogin, &None));
        let told = words(&ran.stdout());
        let thread = format!("(thread {}; a login names its statement)", row.thread);
        assert!(told.contains(&thread) && told.contains("With a login"), "{told}");
    }
}

#[test]
fn a_usual_load_accuses_nobody() {
    let _turn = beside_others();
    for flavor in [Flavor::MySql, Flavor::MariaDb] {
        let foreign = loaded(flavor);
        let (ran, ()) = traced(&foreign, &foreign.address("root"), |_| ());
        let holders = holders(&ran);
        assert!(!holders.transactions.is_empty(), "{flavor}");
        let most = holders.transactions.iter().filter_map(|row| row.bytes).max();
        assert!(
            most.is_some_and(|bytes| bytes < BYTES / 100),
            "{flavor}: {holders:#?}"
        );
        let told = words(&ran.stdout());
        assert!(
            !told.contains("transaction of") && !told.contains("large transactions"),
            "{told}"
        );
        let accused = ran.accused();
        // A busy machine has others who take its CPUs and its disk.
        let named = ["connection", "thread", "rotation"];
        assert!(named.iter().all(|name| !accused.contains(name)), "{accused}");
        let document = ran.document();
        let for_others = total(&document, |row| row.cause.wait == Wait::RunQueueProcess);
        let is_much = for_others >= document.commits.unwrap().total / 20;
        assert!(is_much || !accused.contains("the CPU"), "{accused}");
    }
}

#[test]
fn an_idle_session_with_a_lock_is_told_with_its_connection() {
    // Compares times.
    let _turn = alone();
    for flavor in [Flavor::MySql, Flavor::MariaDb] {
        let server = Foreign::start(flavor);
        server.tell("CREATE DATABASE d");
        server.tell("CREATE TABLE d.t (id INT PRIMARY KEY)");
        let running = Running::start(&format!("trace {}", server.address("root")));
        server.wait_until_traced();
        let holder = server.with(async |mut writer| {
            let mut holder = Conn::new(writer.opts().clone()).await.unwrap();
            writer.query_drop("BEGIN").await.unwrap();
            writer.query_drop("INSERT INTO d.t VALUES (1)").await.unwrap();
            holder.query_drop("FLUSH TABLES WITH READ LOCK").await.unwrap();
            let release = async {
                tokio::time::sleep(HELD).await;
                holder.query_drop("UNLOCK TABLES").await.unwrap();
            };
            let (committed, ()) = tokio::join!(writer.query_drop("COMMIT"), release);
            committed.unwrap();
            holder
        });
        running.interrupt();
        let ran = running.ended();
        let over_time = std::fs::read_to_string(ran.file("over-time.json")).unwrap();
        let over_time: OverTime = serde_json::from_str(&over_time).unwrap();
        let threads = over_time.waited_for.unwrap().threads;
        assert!(!threads.is_empty(), "{flavor}: {}", ran.stdout());
        let first = &threads[0];
        assert!(
            first.lock * 10 > first.ns * 9 && first.idle * 10 > first.lock * 9,
            "{flavor}: {threads:?}"
        );
        let ratio = Duration::from_nanos(first.longest_lock).as_secs_f64() / HELD.as_secs_f64();
        assert!((0.9..1.1).contains(&ratio), "{flavor}: {threads:?}");
        let told = words(&ran.stdout());
        let named = format!(
            "A commit waited {} for the commit lock that connection {}, root@localhost",
            units::duration(first.longest_lock),
            holder.id()
        );
        assert!(told.contains(&named), "{flavor}: {told}");
        assert!(
            told.contains(" held, while its client was idle."),
            "{flavor}: {told}"
        );
        // MariaDB's list of processes has no statements that have ended.
        let statement = told.contains(" (FLUSH TABLES WITH READ LOCK) held");
        assert_eq!(statement, flavor == Flavor::MySql, "{told}");
    }
}

/// Returns the words of a text that is broken into lines.
fn words(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
