//! The TPC-C-like workload on real servers: what it does is what it counts, and the tables stay consistent.

use std::num::NonZeroUsize;
use std::thread;
use std::time::{Duration, Instant};

use crate::common::drives::{DATASET, assert_adds_up, config, drive_disturbed, drive_to_end, uniform};
use crate::common::server::{Flavor, START_LIMIT, Server, block_on};
use logtrace_driver::tpcc::{CheckedCondition, HomeWarehouse, TABLES, TpccOptions, TransactionType, check};
use logtrace_driver::{
    CancellationToken, Compat, DriveConfig, DriveResult, EndReason, Kind, LoadConfig, LoadProgress,
    OutageCause, Pace, Protocol, Requests, Target, WorkloadInfo, WorkloadOptions, load,
};
use logtrace_testkit::one_or_all;
use mysql_async::Conn;
use mysql_async::prelude::Queryable;
use rustix::process::Signal;

const NEW_ORDER: usize = TransactionType::NewOrder as usize;

fn requests(options: &WorkloadOptions) -> Requests {
    Requests::new(WorkloadInfo::find("tpcc").unwrap(), options).unwrap()
}

pub(crate) fn warehouses(count: u32) -> WorkloadOptions {
    WorkloadOptions {
        tpcc: TpccOptions {
            warehouses: Some(count),
            ..TpccOptions::default()
        },
        ..WorkloadOptions::default()
    }
}

pub(crate) fn load_config(target: &Target, options: &WorkloadOptions) -> LoadConfig {
    LoadConfig {
        target: target.clone(),
        requests: requests(options),
        dataset: DATASET,
        create_database: true,
        connections: NonZeroUsize::new(2).unwrap(),
        session: Vec::new(),
        globals: Vec::new(),
    }
}

fn load_warehouses(target: &Target, options: &WorkloadOptions) -> u64 {
    let config = load_config(target, options);
    let (mut rows, mut total) = (0, 0);
    let mut follow = |progress: LoadProgress| {
        rows = progress.rows;
        total = progress.total;
    };
    load(&config, &mut follow).unwrap();
    assert_eq!(rows, total, "number of rows");
    rows
}

pub(crate) fn driven(target: &Target, pace: Pace, options: &WorkloadOptions) -> DriveConfig {
    let mut config = config(target.clone(), "tpcc", pace, Duration::from_secs(3));
    config.requests = requests(options);
    config
}

pub(crate) fn assert_consistent(target: &Target, warehouses: u32) {
    let broken: Vec<CheckedCondition> = check(target, warehouses).unwrap();
    assert_eq!(broken.len(), 12);
    assert!(
        broken.iter().all(|condition| condition.violations == 0),
        "{broken:#?}"
    );
}

/// What is counted by kind is all that was done, and the server counts the same new orders.
fn assert_counted(measured: &DriveResult) {
    assert_adds_up(measured);
    let sum = |of: fn(&Kind) -> u64| measured.kinds.iter().map(of).sum::<u64>();
    assert_eq!(measured.kinds.len(), 5);
    assert_eq!(sum(|kind| kind.done), measured.done);
    assert_eq!(sum(|kind| kind.failed), measured.errors.values().sum::<u64>());
    for kind in &measured.kinds {
        assert!(kind.done_in_window <= kind.done && kind.rolled_back <= kind.done);
        assert_eq!((kind.service.len(), kind.response.len()), (kind.done, kind.done));
    }
    let orders = &measured.kinds[NEW_ORDER];
    assert_eq!(measured.orders_grown, Some(orders.done - orders.rolled_back));
    assert_eq!(sum(|kind| kind.rolled_back), orders.rolled_back);
}

/// Orders, waiting orders, and payments that the server has.
fn contents(server: &Server) -> (u64, u64, u64) {
    server.query(
        "SELECT (SELECT COUNT(*) FROM logtrace.orders), (SELECT COUNT(*) FROM logtrace.new_orders), \
         (SELECT COUNT(*) FROM logtrace.history)",
    )[0]
}

#[test]
#[ignore = "long: the counts again, on the other server"]
fn counts_match_the_tables_of_mysql_and_these_stay_consistent() {
    counts_match_the_tables(Flavor::Mysql);
}

#[test]
fn counts_match_the_tables_of_mariadb_and_these_stay_consistent() {
    counts_match_the_tables(Flavor::Mariadb);
}

#[test]
#[ignore = "long: tables of three more warehouses are loaded"]
fn other_programs_tables_and_procedures_stay_consistent() {
    for &flavor in one_or_all(&[Flavor::Mysql, Flavor::Mariadb]) {
        let server = Server::start(flavor, &["--innodb-lock-wait-timeout=1"]);
        let target = server.target("logtrace");
        foreign_keys(&server, &target);
        stored_procedures(&server, &target);
    }
}

/// Checks all that these tables suffice for on one load of them, which takes the longest.
fn counts_match_the_tables(flavor: Flavor) {
    let mut server = Server::start(flavor, &["--innodb-lock-wait-timeout=1"]);
    let target = server.target("logtrace");
    let rows = load_warehouses(&target, &warehouses(2));
    assert!(rows > 1_000_000, "{rows} rows of two warehouses");
    assert_eq!(contents(&server), (60_000, 18_000, 60_000));
    assert_consistent(&target, 2);

    let mut options = warehouses(2);
    options.tpcc.home = HomeWarehouse::PerConnection;
    let measured = counted(&server, &driven(&target, Pace::Closed, &options));
    println!(
        "{flavor:?}: {} done, retries {:?}",
        measured.done, measured.retries
    );
    like_others(&target);
    locked(&server, &driven(&target, Pace::Closed, &options));
    broken(&server, &driven(&target, Pace::Closed, &options));
    assert_consistent(&target, 2);
    for how in [Signal::TERM, Signal::KILL] {
        restarted(&mut server, &driven(&target, Pace::Closed, &options), how);
        assert_consistent(&target, 2);
    }
    options.tpcc.keying_times = true;
    users(driven(&target, Pace::Closed, &options));
    assert_consistent(&target, 2);

    server.run("UPDATE logtrace.warehouse SET w_ytd = w_ytd + 1 WHERE w_id = 2");
    server.run("DELETE FROM logtrace.new_orders WHERE no_w_id = 1 AND no_d_id = 3 AND no_o_id = 2900");
    let broken = check(&target, 2).unwrap().into_iter();
    let broken: Vec<u8> = broken
        .filter(|of| of.violations > 0)
        .map(|of| of.number)
        .collect();
    assert_eq!(broken, [1, 3, 5, 8]);
}

/// The stored procedures of DBT2 do what statements that are sent one by one do.
fn stored_procedures(server: &Server, target: &Target) {
    let options = |protocol| WorkloadOptions {
        compat: Some(Compat::Dbt2),
        protocol: Some(protocol),
        ..warehouses(2)
    };
    load_warehouses(target, &options(Protocol::Procedures));
    for protocol in [Protocol::Procedures, Protocol::Prepared] {
        let before = server.status("Com_call_procedure");
        let measured = counted(server, &driven(target, Pace::Closed, &options(protocol)));
        let called = server.status("Com_call_procedure") - before;
        // Each new order calls one more for each line, of which it has at least six.
        let fewest = measured.done + 6 * measured.kinds[NEW_ORDER].done;
        match protocol {
            Protocol::Procedures => assert!(called >= fewest, "{called} calls, and not {fewest}"),
            Protocol::Prepared | Protocol::Text => assert_eq!(called, 0),
        }
        assert_consistent(target, 2);
    }
    // The newest payment comes first in the data of customers with bad credit.
    let unnoted = "SELECT COUNT(*) FROM logtrace.customer WHERE c_credit = 'BC' AND c_payment_cnt > 1 \
                   AND c_data NOT LIKE CONCAT_WS(' ', c_id, c_d_id, c_w_id, '%')";
    assert_eq!(server.query::<u64>(unnoted), [0]);
}

/// The tables of sysbench-tpcc have foreign keys, which the server heeds and no transaction breaks.
fn foreign_keys(server: &Server, target: &Target) {
    let options = WorkloadOptions {
        compat: Some(Compat::SysbenchTpcc),
        ..warehouses(1)
    };
    load_warehouses(target, &options);
    let keys: Vec<u64> = server.query(
        "SELECT COUNT(*) FROM information_schema.referential_constraints WHERE constraint_schema = 'logtrace'",
    );
    assert_eq!(keys, [10]);
    let measured = drive_to_end(&driven(target, Pace::Closed, &options));
    assert_counted(&measured);
    assert!(measured.errors.is_empty(), "{:?}", measured.errors);
    assert_consistent(target, 1);
    let orphans = block_on(async {
        let mut conn = Conn::new(server.options()).await.unwrap();
        let deleted = conn.query_drop("DELETE FROM logtrace.item WHERE i_id = 1").await;
        conn.disconnect().await.unwrap();
        deleted
    });
    assert!(orphans.unwrap_err().to_string().contains("foreign key"));
}

/// Each table has what was added and lacks what was taken, and each warehouse got its share.
fn counted(server: &Server, config: &DriveConfig) -> DriveResult {
    let remote_payments = || {
        let sql = "SELECT COUNT(*) FROM logtrace.history WHERE h_c_w_id <> h_w_id";
        server.query::<u64>(sql)[0]
    };
    let (before, remote_before) = (contents(server), remote_payments());
    let measured = drive_to_end(config);
    assert_counted(&measured);
    assert!(measured.errors.is_empty(), "{:?}", measured.errors);
    let done = |kind: TransactionType| measured.kinds[kind as usize].done;
    let grown = measured.orders_grown.unwrap();
    let delivered = 10 * done(TransactionType::Delivery);
    let paid = before.2 + done(TransactionType::Payment);
    assert_eq!(
        contents(server),
        (before.0 + grown, before.1 + grown - delivered, paid)
    );
    let remote = (remote_payments() - remote_before) as f64;
    let payments = done(TransactionType::Payment) as f64;
    // 15 %, and five standard errors.
    let deviation = (remote - 0.15 * payments).abs() / (0.15 * 0.85 * payments).sqrt();
    assert!(deviation < 5.0, "{remote} of {payments} payments are remote");
    measured
}

/// Every program's way that does not need other tables, by both protocols.
fn like_others(target: &Target) {
    for compat in [None, Some(Compat::SysbenchTpcc)] {
        for protocol in [Protocol::Prepared, Protocol::Text] {
            let options = WorkloadOptions {
                compat,
                protocol: Some(protocol),
                ..warehouses(2)
            };
            let mut config = driven(target, uniform(50.0), &options);
            config.duration = Duration::from_secs(1);
            let measured = drive_to_end(&config);
            assert_counted(&measured);
            assert_eq!(measured.done, 50, "{compat:?} {protocol}: {:?}", measured.errors);
        }
    }
}

/// Drives while somebody else does something to the server after a second.
fn disturbed(config: &DriveConfig, disturb: impl FnOnce()) -> DriveResult {
    let second = Duration::from_secs(1);
    let (measured, _, ()) = drive_disturbed(config, CancellationToken::new(), second, disturb);
    measured
}

/// A payment that finds its district locked has changed its warehouse already: it is undone, and done again as a whole.
fn locked(server: &Server, config: &DriveConfig) {
    let measured = disturbed(config, || {
        let options = server.options();
        block_on(async {
            let mut conn = Conn::new(options).await.unwrap();
            // The load may hold a lock for longer than the server lets others wait for it.
            let patience = "SET SESSION innodb_lock_wait_timeout = 60";
            conn.query_drop(patience).await.unwrap();
            conn.query_drop("BEGIN").await.unwrap();
            let lock = "SELECT d_id FROM logtrace.district FOR UPDATE";
            conn.query_drop(lock).await.unwrap();
            tokio::time::sleep(Duration::from_millis(1500)).await;
            conn.query_drop("ROLLBACK").await.unwrap();
            conn.disconnect().await.unwrap();
        });
    });
    assert!(measured.retries.contains_key(&1205), "{:?}", measured.retries);
    assert!(measured.errors.is_empty(), "{:?}", measured.errors);
    assert_counted(&measured);
}

/// Nobody knows what became of the request of a connection that breaks.
fn broken(server: &Server, config: &DriveConfig) {
    let measured = disturbed(config, || {
        let sql = "SELECT MIN(id) FROM information_schema.processlist WHERE db = 'logtrace'";
        let id: u64 = server.query(sql)[0];
        server.run(&format!("KILL {id}"));
    });
    assert_eq!(measured.errors.values().sum::<u64>(), 1, "{:?}", measured.errors);
    assert_counted_but(1, &measured);
}

/// So with all of them when the server ends, in good order or not, and is back in the same drive.
fn restarted(server: &mut Server, config: &DriveConfig, how: Signal) {
    let mut config = config.clone();
    config.reconnect_for = START_LIMIT;
    config.grace = START_LIMIT;
    config.duration = 2 * START_LIMIT;
    let connections = config.connections.get() as u64;
    let cancel = CancellationToken::new();
    let cancelled = cancel.clone();
    // A restart right after the connections were made could not be told by the server's uptime.
    let after = Duration::from_millis(2500);
    let (measured, _, ()) = drive_disturbed(&config, cancelled, after, || {
        server.restart_after(how);
        until_served(server, connections);
        cancel.cancel();
    });
    assert_eq!(measured.ended, EndReason::Interrupted);
    let lost: u64 = measured.outages.iter().map(|outage| outage.connections).sum();
    let back: u64 = measured.outages.iter().map(|outage| outage.back).sum();
    assert_eq!((lost, back), (connections, connections), "{:?}", measured.outages);
    let mut causes = measured.outages.iter().map(|outage| outage.cause);
    assert!(causes.all(|cause| cause == OutageCause::Restarted));
    let failed: u64 = measured.errors.values().sum();
    // A request that the server ends with an error of its own leaves the connection to fail with the next one.
    assert!(
        (connections..=2 * connections).contains(&failed),
        "{:?}",
        measured.errors
    );
    assert_counted_but(failed, &measured);
}

/// Waits until all connections are there again, and new orders are done on them.
fn until_served(server: &Server, connections: u64) {
    let start = Instant::now();
    let orders = contents(server).0;
    let there = "SELECT COUNT(*) FROM information_schema.processlist WHERE db = 'logtrace'";
    while server.query::<u64>(there)[0] < connections || contents(server).0 < orders + 10 {
        assert!(start.elapsed() < START_LIMIT, "the load does not go on");
        thread::sleep(Duration::from_millis(100));
    }
}

/// The server counts the same new orders, but for requests of which nobody knows.
fn assert_counted_but(unknown: u64, measured: &DriveResult) {
    let orders = &measured.kinds[NEW_ORDER];
    let committed = orders.done - orders.rolled_back;
    let grown = measured.orders_grown.unwrap();
    assert!(committed > 0);
    assert!(
        (committed..=committed + unknown).contains(&grown),
        "{grown} of {committed}, and {unknown}"
    );
}

/// Users who type and think send what they have time for.
fn users(mut config: DriveConfig) {
    config.connections = NonZeroUsize::new(100).unwrap();
    config.warmup = Duration::from_secs(1);
    let measured = drive_to_end(&config);
    assert_counted(&measured);
    // 100 users, one request each in 21 s: 14 in 3 s, and five standard errors.
    assert!((1..34).contains(&measured.requests), "{}", measured.requests);
}

#[test]
#[ignore = "long: a warehouse is loaded to be damaged"]
fn tables_with_other_numbers_of_rows_fail_the_check() {
    for &flavor in one_or_all(&[Flavor::Mysql, Flavor::Mariadb]) {
        // What the load does is committed, whatever the server's default is.
        let server = Server::start(flavor, &["--autocommit=0", "--completion-type=CHAIN"]);
        let target = server.target("logtrace");
        let wrong_rows = || {
            let conditions = check(&target, 1).unwrap();
            let broken = conditions.iter().filter(|of| of.violations > 0);
            let broken: Vec<u8> = broken.map(|of| of.number).collect();
            (conditions[0].violations, broken)
        };
        load_warehouses(&target, &warehouses(1));
        assert_eq!(wrong_rows(), (0, Vec::new()), "{flavor:?}");
        server.run("DELETE FROM logtrace.item WHERE i_id = 7");
        server.run("DELETE FROM logtrace.stock WHERE s_i_id = 7");
        // One is missing, and one is too much.
        server.run("UPDATE logtrace.customer SET c_w_id = 9 WHERE c_d_id = 1 AND c_id = 1");
        assert_eq!(wrong_rows().0, 4, "{flavor:?}");
        for table in TABLES {
            server.run(&format!("TRUNCATE logtrace.{table}"));
        }
        let all = 1 + 10 + 30_000 + 100_000 + 100_000 + 2 * 30_000;
        assert_eq!(wrong_rows(), (all, vec![0]), "the others hold on empty tables");
    }
}
