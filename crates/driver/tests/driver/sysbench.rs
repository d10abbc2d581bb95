//! What the server sees of the driver is what it sees of sysbench 1.0.20, statement by statement.

use std::num::NonZeroUsize;
use std::process::Command;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use crate::common::drives::{DATASET, config, drive_to_end, load_dataset, uniform};
use crate::common::server::{FLAVORS, Flavor, Server};
use logtrace_common::Endpoint;
use logtrace_driver::{Protocol, Requests, StatementGroup, Target, WorkloadInfo, WorkloadOptions, workloads};
use mysql_async::Row;

/// Requests a second of ours; the server keeps up with less.
const RATE: f64 = 400.0;

/// No two drives have the same values: an update to what is there already changes nothing.
fn next_seed() -> u64 {
    static NEXT: AtomicU64 = AtomicU64::new(1);
    NEXT.fetch_add(1, Ordering::Relaxed)
}

/// `count` requests of ours, on one connection.
fn drive(target: &Target, workload: &'static WorkloadInfo, options: &WorkloadOptions, count: u32) {
    let duration = Duration::from_secs_f64(f64::from(count) / RATE);
    let mut config = config(target.clone(), workload.name, uniform(RATE), duration);
    config.requests = Requests::new(workload, options).unwrap();
    config.connections = NonZeroUsize::MIN;
    // All of them count, however busy the machine is.
    config.grace = Duration::from_secs(60);
    config.dataset.seed = next_seed();
    assert_eq!(drive_to_end(&config).done, u64::from(count), "{}", workload.name);
}

/// `count` events of sysbench's, on one connection.
fn sysbench(target: &Target, workload: &WorkloadInfo, options: &[String], count: u32) {
    let Endpoint::Socket(socket) = &target.connection.endpoint else {
        panic!("the tests' servers listen on sockets");
    };
    let output = Command::new("sysbench")
        .args(workload.alias.unwrap().split_whitespace())
        .args(["--threads=1", "--time=0", "--rand-type=uniform"])
        .arg(format!("--events={count}"))
        .arg(format!("--rand-seed={}", next_seed()))
        .arg(format!("--tables={}", DATASET.tables))
        .arg(format!("--table-size={}", DATASET.rows))
        .arg(format!("--mysql-db={}", target.database))
        .arg(format!("--mysql-user={}", target.connection.user))
        .arg(format!("--mysql-socket={}", socket.display()))
        .args(options)
        .arg("run")
        .output()
        .unwrap_or_else(|error| panic!("sysbench: {error}; scripts/setup --tests installs it"));
    assert!(
        output.status.success(),
        "{}{}",
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    );
}

/// Both ways of sending this workload's statements, as we and as sysbench call it.
fn protocols(workload: &WorkloadInfo) -> [(WorkloadOptions, String); 2] {
    [("auto", Protocol::Prepared), ("disable", Protocol::Text)].map(|(mode, protocol)| {
        let protocol = (workload.name != "insert").then_some(protocol);
        let options = WorkloadOptions {
            protocol,
            ..WorkloadOptions::default()
        };
        (options, format!("--db-ps-mode={mode}"))
    })
}

/// The statements of a workload in a general log: those on its tables and those of its transactions, each with its
/// command, and without its values.
fn statements(log: &str) -> Vec<String> {
    log.lines()
        .filter(|line| {
            let of_workload = ["sbtest", "BEGIN", "COMMIT", "ROLLBACK"];
            of_workload.iter().any(|word| line.contains(word))
        })
        .map(|line| {
            let (head, sql) = line.rsplit_once('\t').unwrap();
            let command = head.split_whitespace().last().unwrap();
            format!("{command} {}", without_values(sql))
        })
        .collect()
}

/// A statement with `#` for each number, except those of 11 digits, which make up texts: they become as many `d`. Of a
/// range the size is left.
fn without_values(sql: &str) -> String {
    let sql = range_as_size(sql);
    let mut text = String::new();
    let mut digits = String::new();
    for character in sql.chars().chain([' ']) {
        if character.is_ascii_digit() {
            digits.push('d');
            continue;
        }
        text.push_str(match digits.len() {
            0 => "",
            11 => &digits,
            _ => "#",
        });
        digits.clear();
        text.push(character);
    }
    text.trim_end().to_owned()
}

fn range_as_size(sql: &str) -> String {
    let size = |range: &str| -> Option<usize> {
        let mut ends = range.split_whitespace();
        let first: usize = ends.next()?.parse().ok()?;
        let last: usize = ends.nth(1)?.parse().ok()?;
        Some(last + 1 - first)
    };
    match sql.split_once(" BETWEEN ") {
        Some((head, range)) => match size(range) {
            Some(size) => {
                let tail: Vec<&str> = range.split_whitespace().skip(3).collect();
                format!("{head} BETWEEN {} {}", "+".repeat(size), tail.join(" "))
            }
            None => sql.to_owned(),
        },
        None => sql.to_owned(),
    }
}

/// What the general log gets of some work.
fn logged(server: &Server, work: impl FnOnce()) -> Vec<String> {
    let before = server.general_log().len();
    work();
    statements(&server.general_log()[before..])
}

/// Those with delete at the end: it leaves too few rows for the others.
fn deletes_last() -> Vec<&'static WorkloadInfo> {
    let of_sysbench = workloads().iter().filter(|workload| workload.alias.is_some());
    let mut all: Vec<_> = of_sysbench.collect();
    all.sort_by_key(|workload| workload.name == "delete");
    all
}

#[test]
fn the_statements_are_those_of_sysbench_in_order_and_number() {
    const EVENTS: u32 = 20;
    for flavor in FLAVORS {
        let server = Server::start(flavor, &[]);
        let target = server.target("logtrace");
        load_dataset(&target, DATASET);
        server.run("SET GLOBAL general_log = ON");
        for workload in deletes_last() {
            for (options, mode) in protocols(workload) {
                let ours = logged(&server, || drive(&target, workload, &options, EVENTS));
                let theirs = logged(&server, || {
                    sysbench(&target, workload, std::slice::from_ref(&mode), EVENTS);
                });
                assert!(ours.len() >= EVENTS as usize, "{ours:#?}");
                assert_eq!(ours, theirs, "{flavor:?} {} {mode}", workload.name);
            }
        }
    }
}

/// Options of every kind, as we and as sysbench call them.
fn with_options() -> Vec<(&'static str, WorkloadOptions, &'static str)> {
    let counts = |counts: &[(StatementGroup, u32)]| WorkloadOptions {
        counts: counts.to_vec(),
        ..WorkloadOptions::default()
    };
    vec![
        (
            "read_write",
            WorkloadOptions {
                range_size: Some(7),
                ..counts(&[
                    (StatementGroup::PointSelects, 2),
                    (StatementGroup::SimpleRanges, 3),
                    (StatementGroup::SumRanges, 0),
                    (StatementGroup::OrderRanges, 2),
                    (StatementGroup::DistinctRanges, 4),
                    (StatementGroup::IndexUpdates, 3),
                    (StatementGroup::NonIndexUpdates, 2),
                    (StatementGroup::DeleteInserts, 2),
                ])
            },
            "--range_size=7 --point_selects=2 --simple_ranges=3 --sum_ranges=0 --order_ranges=2 --distinct_ranges=4 \
             --index_updates=3 --non_index_updates=2 --delete_inserts=2",
        ),
        (
            "read_only",
            WorkloadOptions {
                skip_trx: true,
                ..WorkloadOptions::default()
            },
            "--skip_trx=on",
        ),
        (
            "write_only",
            WorkloadOptions {
                skip_trx: true,
                ..counts(&[(StatementGroup::NonIndexUpdates, 0)])
            },
            "--skip_trx=on --non_index_updates=0",
        ),
        (
            "update_key",
            counts(&[(StatementGroup::IndexUpdates, 3)]),
            "--index_updates=3",
        ),
        (
            "update_nokey",
            counts(&[(StatementGroup::NonIndexUpdates, 2)]),
            "--non_index_updates=2",
        ),
    ]
}

#[test]
fn options_have_the_same_effect_as_in_sysbench() {
    const EVENTS: u32 = 3;
    for flavor in FLAVORS {
        let server = Server::start(flavor, &[]);
        let target = server.target("logtrace");
        load_dataset(&target, DATASET);
        server.run("SET GLOBAL general_log = ON");
        for (name, options, theirs) in with_options() {
            let workload = WorkloadInfo::find(name).unwrap();
            let plain = logged(&server, || {
                drive(&target, workload, &WorkloadOptions::default(), EVENTS);
            });
            let ours = logged(&server, || drive(&target, workload, &options, EVENTS));
            assert_ne!(ours, plain, "{flavor:?} {name}: the options change something");
            let theirs: Vec<String> = theirs.split_whitespace().map(Into::into).collect();
            let theirs = logged(&server, || sysbench(&target, workload, &theirs, EVENTS));
            assert_eq!(ours, theirs, "{flavor:?} {name}");
        }
    }
}

/// Where the binary log ends.
fn binlog_end(server: &Server, flavor: Flavor) -> u64 {
    let sql = match flavor {
        Flavor::Mysql => "SHOW BINARY LOG STATUS",
        Flavor::Mariadb => "SHOW MASTER STATUS",
    };
    server.query::<Row>(sql)[0].get(1).unwrap()
}

/// Bytes of the binary log for each of `count` events of some work.
///
/// How many deletes find their row is chance. In the format ROW only those that do are logged.
fn binlog_bytes(server: &Server, flavor: Flavor, workload: &str, count: u32, work: impl FnOnce()) -> f64 {
    let deletes = workload == "delete";
    if deletes && flavor == Flavor::Mariadb {
        server.run("SET GLOBAL binlog_format = 'ROW'");
    }
    let deleted = server.status("Handler_delete");
    let before = binlog_end(server, flavor);
    work();
    let bytes = binlog_end(server, flavor) - before;
    let logged = match deletes {
        true => server.status("Handler_delete") - deleted,
        false => u64::from(count),
    };
    bytes as f64 / logged as f64
}

#[test]
fn the_binary_log_gets_as_much_as_from_sysbench() {
    const EVENTS: u32 = 200;
    for flavor in FLAVORS {
        let server = Server::start(flavor, &[]);
        let target = server.target("logtrace");
        load_dataset(&target, DATASET);
        for workload in deletes_last() {
            for (options, mode) in protocols(workload) {
                let name = workload.name;
                let ours = binlog_bytes(&server, flavor, name, EVENTS, || {
                    drive(&target, workload, &options, EVENTS);
                });
                let theirs = binlog_bytes(&server, flavor, name, EVENTS, || {
                    sysbench(&target, workload, std::slice::from_ref(&mode), EVENTS);
                });
                println!("{flavor:?} {name} {mode}: {ours:.1} bytes an event, sysbench {theirs:.1}");
                assert_eq!(workload.commits(), ours > 0.0, "{flavor:?} {name}");
                assert!(
                    (ours - theirs).abs() <= theirs * 0.01,
                    "{flavor:?} {name} {mode}: {ours} bytes an event, sysbench {theirs}"
                );
            }
        }
    }
}
