//! A replica of MariaDB with four workers, whose commits keep the order of the source.

use std::net::Ipv4Addr;
use std::thread::sleep;
use std::time::Duration;

use logtrace_attribution::cause::{Wait, Who};
use logtrace_common::Flavor;
use logtrace_laboratory::foreign::{Foreign, free_port};
use logtrace_laboratory::replication::follow;
use logtrace_laboratory::slow_disk::SlowDisk;
use logtrace_report::document::{CauseRow, Document};
use logtrace_server::enter_mount_namespace;
use mysql_async::Conn;
use mysql_async::prelude::Queryable;

use super::{STOPPED, assert_true};
use crate::common::{Running, alone, patiently, total};
use crate::join::on_own_thread;

/// Number of workers, and of transactions that commit together on the source.
const WORKERS: u32 = 4;

/// Time that each fsync of the replica's binlog takes longer.
const SLOW: Duration = Duration::from_millis(10);

const MODES: [&str; 2] = ["optimistic", "conservative"];

struct ParallelPair {
    source: Foreign,
    replica: Foreign,
    sessions: [Conn; WORKERS as usize],
}

impl ParallelPair {
    /// Starts both. The replica's binlog is in a directory.
    fn start(mode: &str, binlog: &SlowDisk) -> Self {
        let port = free_port();
        let source = Foreign::start_with(
            Flavor::MariaDb,
            &["binlog_commit_wait_count=4", "binlog_commit_wait_usec=1000000"],
            Some(port),
        );
        let settings = [
            "server_id=2".to_owned(),
            "log_slave_updates=ON".to_owned(),
            format!("slave_parallel_threads={WORKERS}"),
            format!("slave_parallel_mode={mode}"),
        ];
        let replica = Foreign::start_as(Flavor::MariaDb, |config| {
            config.settings = settings.iter().map(|text| text.parse().unwrap()).collect();
            let placement = format!("binlog={}", binlog.path().display());
            config.storage.placements = vec![placement.parse().unwrap()];
        });
        for server in [&source, &replica] {
            server.tell("CREATE DATABASE d");
            server.tell("CREATE TABLE d.t (id INT PRIMARY KEY, v INT NOT NULL)");
            server.tell("INSERT INTO d.t VALUES (1, 0), (2, 0), (3, 0), (4, 0)");
        }
        follow(
            Flavor::MariaDb,
            &source,
            (Ipv4Addr::LOCALHOST, port).into(),
            &replica,
        );
        replica.tell("START SLAVE");
        let sessions = [(); WORKERS as usize].map(|()| source.with(async |conn| conn));
        Self {
            source,
            replica,
            sessions,
        }
    }

    /// Commits one transaction of each session of the source together, that of the first row in front.
    fn update_all(&mut self, value: u32) {
        let [first, second, third, fourth] = &mut self.sessions;
        let update = |row: u32| format!("UPDATE d.t SET v = {value} WHERE id = {row}");
        let in_front = first.query_drop(update(1));
        let behind = async {
            tokio::time::sleep(Duration::from_millis(50)).await;
            let done = tokio::join!(
                second.query_drop(update(2)),
                third.query_drop(update(3)),
                fourth.query_drop(update(4))
            );
            done.0.and(done.1).and(done.2)
        };
        self.source.with(async |_| {
            let done = tokio::join!(in_front, behind);
            done.0.and(done.1).unwrap();
        });
    }

    fn wait_for(&self, value: u32) {
        let all = format!("SELECT COUNT(*) FROM d.t WHERE v = {value}");
        patiently("the updates", || self.replica.ask::<u32>(&all) == WORKERS);
    }

    fn traced(&mut self, work: impl FnOnce(&mut Self)) -> Document {
        let tracing = Running::start(&format!("trace --pid {}", self.replica.pid()));
        self.replica.wait_until_traced();
        work(self);
        tracing.interrupt();
        tracing.ended().document()
    }
}

fn is_order(row: &CauseRow) -> bool {
    row.cause.wait == Wait::CommitOrder
}

/// The worker in front waits for a row, and all others for their turn: they wait for the row.
fn waits_for_a_row(mode: &str, pair: &mut ParallelPair) {
    let mut lock = pair.replica.with(async |mut conn| {
        conn.query_drop("BEGIN").await.unwrap();
        let row = "SELECT v FROM d.t WHERE id = 1 FOR UPDATE";
        conn.query_drop(row).await.unwrap();
        conn
    });
    let document = pair.traced(|pair| {
        pair.update_all(1);
        let waiting = "SELECT COUNT(*) FROM information_schema.processlist \
                       WHERE state LIKE 'Waiting for prior transaction to commit%'";
        patiently("workers that wait", || {
            pair.replica.ask::<u32>(waiting) == WORKERS - 1
        });
        sleep(STOPPED);
        pair.replica
            .with(async |_| lock.query_drop("COMMIT").await.unwrap());
        pair.wait_for(1);
    });
    assert_true(&format!("{mode}, a locked row"), &document);
    let found = total(&document, |row| {
        row.cause.wait == Wait::RowLock && row.cause.who == Who::Session
    });
    let put_in = (STOPPED * (WORKERS - 1)).as_nanos() as u64;
    let turns = total(&document, is_order);
    println!("{mode}: {found} of {put_in} ns, commit order {turns}");
    assert!(
        found * 100 >= put_in * 95 && turns * 20 <= found,
        "{mode}: {found} of {put_in} ns, {:?}",
        document.causes
    );
}

/// All wait for the fsyncs of their group, each as long as its log says.
fn waits_for_the_binlog(mode: &str, pair: &mut ParallelPair, disk: &SlowDisk) {
    const TIMES: u32 = 10;
    disk.delay_syncs(SLOW);
    let document = pair.traced(|pair| {
        for value in 2..2 + TIMES {
            pair.update_all(value);
            pair.wait_for(value);
        }
    });
    disk.delay_syncs(Duration::ZERO);
    assert_true(&format!("{mode}, a slow binlog"), &document);
    let commits = document.commits.as_ref().unwrap();
    assert_eq!(commits.count, u64::from(TIMES * WORKERS), "{mode}");
    let synced = total(&document, |row| row.cause.io.is_some());
    let turns = total(&document, is_order);
    let least = (SLOW * TIMES).as_nanos() as u64;
    println!(
        "{mode}: fsync {synced} of {} ns, commit order {turns}",
        commits.total
    );
    assert!(
        synced >= least && synced * 100 >= commits.total * 95,
        "{mode}: {synced} of {} ns, {:?}",
        commits.total,
        document.causes
    );
}

#[test]
fn workers_wait_for_what_the_one_in_front_waits_for() {
    let _alone = alone();
    on_own_thread(|| {
        enter_mount_namespace().unwrap();
        for mode in MODES {
            let disk = SlowDisk::mount();
            let mut pair = ParallelPair::start(mode, &disk);
            waits_for_a_row(mode, &mut pair);
            waits_for_the_binlog(mode, &mut pair, &disk);
            // The server of the binlog goes before its disk.
            drop(pair);
        }
    });
}
