//! Servers whose connections are served by a pool of threads: MariaDB's own and MySQL's plugin. Needs root.

use std::time::{Duration, Instant};

use logtrace_attribution::cause::Wait;
use logtrace_common::{FileClass, Flavor};
use logtrace_events::IoOp;
use logtrace_laboratory::foreign::Foreign;
use logtrace_laboratory::slow_disk::SlowDisk;
use logtrace_report::document::{Document, StatementStages};
use logtrace_server::enter_mount_namespace;
use mysql_async::Conn;
use mysql_async::prelude::Queryable;
use tokio::task::JoinSet;

use crate::common::{Running, beside_others, caveats, driver, run, total};

/// Time that each fsync of a log takes.
const DELAY: Duration = Duration::from_millis(20);

const CONNECTIONS: u64 = 6;
const TIMES: u64 = 20;

/// Starts a server whose connections a pool of eight threads serves, with files of some classes on other disks.
fn start(flavor: Flavor, more: &[&str], disks: &[(FileClass, &SlowDisk)]) -> Foreign {
    let server = Foreign::start_as(flavor, |config| {
        config.settings = more.iter().map(|text| text.parse().unwrap()).collect();
        let place = |(class, disk): &(FileClass, &SlowDisk)| format!("{class}={}", disk.path().display());
        config.storage.placements = disks.iter().map(|disk| place(disk).parse().unwrap()).collect();
    });
    server.tell("CREATE DATABASE d");
    server.tell("CREATE TABLE d.t (id INT PRIMARY KEY AUTO_INCREMENT, v INT)");
    let mut settings = more.to_vec();
    settings.push("thread_pool_size=8");
    match flavor {
        // It is loaded when the server starts, and never later.
        Flavor::MySql => server.tell("INSERT INTO mysql.plugin VALUES ('thread_pool', 'thread_pool.so')"),
        Flavor::MariaDb => settings.push("thread_handling=pool-of-threads"),
    }
    server.reconfigured(&settings)
}

/// Executes a statement so many times on each of these connections, all at once, and returns the sum of the times by the
/// client's clock.
fn executed(server: &Foreign, connections: u64, times: u64, statement: &'static str) -> u64 {
    server.with(async |first| {
        let mut all = JoinSet::new();
        for _ in 0..connections {
            let mut conn = Conn::new(first.opts().clone()).await.unwrap();
            all.spawn(async move {
                let mut sum = Duration::ZERO;
                for _ in 0..times {
                    let began = Instant::now();
                    conn.query_drop(statement).await.unwrap();
                    sum += began.elapsed();
                }
                conn.disconnect().await.unwrap();
                sum
            });
        }
        let sum: Duration = all.join_all().await.into_iter().sum();
        u64::try_from(sum.as_nanos()).unwrap()
    })
}

/// Traces a server that is named in this way while it executes inserts, and returns the report with the client's time.
fn traced(server: &Foreign, named: &str, work: impl FnOnce() -> u64) -> (Document, u64) {
    let tracing = Running::start(&format!("trace {named}"));
    server.wait_until_traced();
    let client_ns = work();
    tracing.interrupt();
    (tracing.ended().good(), client_ns)
}

/// Ways to name a server: two without a login, and one with it.
fn ways(server: &Foreign) -> [String; 3] {
    let directory: String = server.ask("SELECT @@datadir");
    [
        format!("--pid {}", server.pid()),
        format!("--data-dir {directory}"),
        server.address("root"),
    ]
}

/// Commits on a pool of threads take what the client saw, wait for the slow file, and none is lost.
fn commits_wait_for(flavor: Flavor, class: FileClass, settings: &[&str]) {
    let _turn = beside_others();
    enter_mount_namespace().unwrap();
    // What the machine's disk does is hardly any of it: the other log is on such a file system too, a prompt one.
    let (slow, prompt) = (SlowDisk::mount(), SlowDisk::mount());
    let disk = |log| if log == class { &slow } else { &prompt };
    let disks = [FileClass::Binlog, FileClass::Redo].map(|log| (log, disk(log)));
    let server = start(flavor, settings, &disks);
    slow.delay_syncs(DELAY);
    for named in ways(&server) {
        let (document, client_ns) = traced(&server, &named, || {
            executed(&server, CONNECTIONS, TIMES, "INSERT INTO d.t (v) VALUES (1)")
        });
        let commits = document.commits.as_ref().unwrap();
        let (causes, tracer) = (&document.causes, document.tracer.as_ref().unwrap());
        assert_eq!(commits.count, CONNECTIONS * TIMES, "{named}");
        assert!(
            commits.total <= client_ns && commits.total * 100 >= client_ns * 90,
            "{named}: {} of {client_ns} ns, {causes:?}",
            commits.total
        );
        let synced = total(&document, |row| row.cause.io == Some((class, IoOp::Fsync)));
        // Each commit waits for the sync of its group at least.
        let put_in = DELAY.as_nanos() * u128::from(CONNECTIONS * TIMES);
        assert!(
            u128::from(synced) * 100 >= put_in * 95,
            "{named}: {synced} of {put_in} ns, {causes:?}"
        );
        assert_eq!(
            total(&document, |row| row.cause.wait == Wait::Client),
            0,
            "{named}"
        );
        assert_eq!((tracer.unmatched, tracer.contradictions), (0, 0), "{named}");
        assert_eq!(caveats(&document), [] as [&_; 0], "{named}");
    }
}

/// A commit asks for a sync of the redo log, its thread goes on with other connections, and whoever is free replies.
#[test]
fn a_commit_that_another_worker_goes_on_with_lasts_until_its_redo_is_durable() {
    commits_wait_for(Flavor::MariaDb, FileClass::Redo, &["log_bin=OFF"]);
}

#[test]
fn commits_of_a_pool_of_mariadb_wait_for_the_binlog() {
    commits_wait_for(Flavor::MariaDb, FileClass::Binlog, &[]);
}

#[test]
fn commits_of_a_pool_of_mysql_wait_for_the_binlog() {
    commits_wait_for(Flavor::MySql, FileClass::Binlog, &[]);
}

/// Each statement takes a known time in the server.
#[test]
fn statements_of_pooled_threads_take_what_the_client_saw() {
    let _turn = beside_others();
    for flavor in [Flavor::MySql, Flavor::MariaDb] {
        let server = start(flavor, &[], &[]);
        for named in ways(&server) {
            let (document, client_ns) = traced(&server, &format!("{named} --detail full"), || {
                executed(&server, 4, 5, "DO SLEEP(0.1)")
            });
            let stages = document.stages.as_ref().unwrap();
            let statements = document.statements.as_ref().unwrap();
            // Those with which a connection begins and ends take next to no time.
            assert!(
                statements.count >= 20 && statements.count == stages.statements,
                "{flavor}, {named}: {stages:?}"
            );
            for ns in [statements.total, stages.total] {
                assert!(
                    ns <= client_ns && ns * 100 >= client_ns * 95,
                    "{flavor}, {named}: {ns} of {client_ns} ns, {statements:?}"
                );
            }
        }
    }
}

#[test]
fn a_run_on_a_pool_of_threads_charges_nothing_to_its_client() {
    let _turn = beside_others();
    let document = run(
        "--server mariadb --workload update_key --rate 200/s --connections 4 --duration 3s --warmup 300ms --tables 1 \
         --rows 500 --set thread_handling=pool-of-threads --detail full",
    )
    .good();
    let client = total(&document, |row| row.cause.wait == Wait::Client);
    assert_eq!(client, 0, "{:?}", document.causes);
    let (requests, statements) = (driver(&document).requests, document.statements.as_ref().unwrap());
    let stages = document.stages.as_ref().unwrap();
    assert_eq!(document.response, None);
    assert!(
        statements.count * 100 >= requests * 95,
        "of {requests} requests: {statements:?}, {:?}",
        document.caveats
    );
    let mean = |stages: &StatementStages| stages.total / stages.statements;
    let service_ns = driver(&document).service.mean;
    assert!(mean(stages) < service_ns, "{stages:?}, service {service_ns}");
}

/// One of two clients waits when tracing begins, the other one when it ends.
#[test]
fn statements_that_are_under_way_when_tracing_begins_or_ends_are_counted() {
    let _turn = beside_others();
    for flavor in [Flavor::MySql, Flavor::MariaDb] {
        let server = Foreign::start(flavor);
        let sleep = async |mut conn: Conn, seconds: u32| {
            conn.query_drop(format!("DO SLEEP({seconds})")).await.unwrap();
            conn
        };
        let ran = server.with(async |first| {
            let mut second = Conn::new(first.opts().clone()).await.unwrap();
            second.query_drop("DO 1").await.unwrap();
            let (last, ran) = tokio::join!(sleep(first, 8), async {
                let tracing = Running::start(&format!("trace --pid {}", server.pid()));
                server.wait_until_traced();
                tokio::time::sleep(Duration::from_secs(8)).await;
                let end = async {
                    tokio::time::sleep(Duration::from_secs(1)).await;
                    tracing.interrupt();
                };
                tokio::join!(sleep(second, 4), end);
                tracing.ended()
            });
            drop(last);
            ran
        });
        let cut = ran.document().stages.unwrap().cut.unwrap();
        assert_eq!((cut.at_start, cut.at_end), (1, 1), "{flavor}");
        let text = ran.stdout().split_whitespace().collect::<Vec<_>>().join(" ");
        let words = "1 of these statements ran already when tracing began, and 1 more had not ended";
        assert!(text.contains(words), "{flavor}: {text}");
    }
}
