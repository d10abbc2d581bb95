//! The open loop against real servers in trouble: nothing that was due is left out.

use std::num::NonZeroUsize;
use std::sync::mpsc::{self, Sender};
use std::thread;
use std::time::Duration;

use crate::common::drives::{
    DATASET, config, drive_and_kill, drive_and_observe, drive_disturbed, drive_to_end, load_dataset, loaded,
    uniform,
};
use crate::common::server::{FLAVORS, Flavor, START_LIMIT, Server, block_on, signal};
use logtrace_driver::{
    CancellationToken, DISCONNECTED, Dataset, DriveError, EndReason, Keys, MAX_RETRIES, now_ns,
};
use mysql_async::prelude::Queryable;
use mysql_async::{Conn, Opts};
use rustix::process::Signal;

#[test]
fn a_stopped_server_delays_two_seconds_of_requests_and_loses_none() {
    for flavor in FLAVORS {
        let server = loaded(flavor);
        let config = config(
            server.target("logtrace"),
            "update_key",
            uniform(500.0),
            Duration::from_secs(5),
        );
        let pid = server.pid();
        let after = Duration::from_millis(1500);
        let (measured, requests, stop_ns) = drive_disturbed(&config, CancellationToken::new(), after, || {
            signal(pid, Signal::STOP);
            let stopped = now_ns();
            thread::sleep(Duration::from_secs(2));
            let stop_ns = now_ns() - stopped;
            signal(pid, Signal::CONT);
            stop_ns
        });
        let stop_s = stop_ns as f64 / 1e9;

        assert_eq!((measured.requests, measured.done), (2500, 2500), "{flavor:?}");
        // Whatever was due in the first nine tenths of the stop waited for at least a tenth of it.
        let long = requests
            .iter()
            .filter(|r| r.response_ns() as f64 / 1e9 > stop_s / 10.0)
            .count() as f64;
        let expected = 500.0 * stop_s * 0.9;
        assert!(
            (0.95..1.6).contains(&(long / expected)),
            "{flavor:?}: {long} long, {expected} expected"
        );
        // Only the eight that were sent show it in their service time: the others waited for a connection.
        let slow = requests
            .iter()
            .filter(|r| r.service_ns() as f64 / 1e9 > stop_s / 2.0)
            .count();
        assert!(slow <= 8, "{flavor:?}: {slow} of 8 connections");
        assert!(measured.backlog_max as f64 > expected, "{}", measured.backlog_max);
        assert_eq!(measured.backlog_end, 0);
    }
}

#[test]
fn a_stall_that_begins_in_the_warmup_is_measured_in_the_window() {
    for flavor in FLAVORS {
        let server = loaded(flavor);
        let mut config = config(
            server.target("logtrace"),
            "update_key",
            uniform(200.0),
            Duration::from_secs(6),
        );
        config.warmup = Duration::from_secs(2);
        let pid = server.pid();
        let stopper = thread::spawn(move || {
            thread::sleep(Duration::from_secs(1));
            signal(pid, Signal::STOP);
            thread::sleep(Duration::from_secs(4));
            signal(pid, Signal::CONT);
        });
        let (measured, requests) = drive_and_observe(&config, CancellationToken::new()).unwrap();
        stopper.join().unwrap();
        assert_eq!(measured.from_warmup, 8, "{flavor:?}: one of each connection");
        let due_before = requests
            .iter()
            .filter(|request| request.due_ns < measured.window.start_ns);
        assert_eq!(due_before.count(), 8, "{flavor:?}");
        assert_eq!((measured.requests, measured.done), (1208, 1208), "{flavor:?}");
        let stall_ns = 4_000_000_000;
        assert!(
            measured.service.max() > stall_ns * 8 / 10,
            "{flavor:?}: {}",
            measured.service.max()
        );
        // Requests of the window wait for what is left of the stall.
        let parts = &measured.lag_parts;
        assert!(
            parts.connection.max() > stall_ns / 10 && parts.late_by_pacer < 400,
            "{flavor:?}"
        );
    }
}

#[test]
fn a_server_too_slow_makes_a_backlog_and_the_offered_rate_stays() {
    for flavor in FLAVORS {
        let server = loaded(flavor);
        let mut config = config(
            server.target("logtrace"),
            "point_select",
            uniform(60_000.0),
            Duration::from_secs(1),
        );
        config.connections = NonZeroUsize::MIN;
        config.grace = Duration::from_millis(200);
        let measured = drive_to_end(&config);
        assert_eq!(measured.requests, 60_000);
        assert_eq!(measured.offered_per_s, Some(60_000.0));
        assert!(measured.achieved_per_s < 50_000.0, "{}", measured.achieved_per_s);
        assert!(measured.unsent > 0 && measured.unfinished <= 1);
        assert!(measured.unsent < measured.backlog_end && measured.backlog_end <= measured.backlog_max);
        assert!(measured.queued > measured.requests / 2 && measured.late > measured.done / 2);
        // Nobody was late but for the server, and what was never sent has waited at least as long as what was.
        let parts = &measured.lag_parts;
        assert!(parts.connection.mean() > 0.9 * measured.lag.mean(), "{parts:?}");
        assert_eq!(measured.response_with_failed.len(), measured.requests);
        assert!(measured.response_with_failed.max() >= measured.response.max());
        // The last ones done waited for most of the window; counted from when they were sent, nothing shows it.
        assert!(measured.response.max() > 100 * measured.service.value_at_quantile(0.5));
    }
}

#[test]
fn a_killed_server_ends_the_run_with_what_was_measured() {
    for flavor in FLAVORS {
        let server = loaded(flavor);
        let config = config(
            server.target("logtrace"),
            "update_key",
            uniform(400.0),
            Duration::from_secs(60),
        );
        let measured = drive_and_kill(&config, &server);
        assert_eq!(measured.ended, EndReason::ServerGone);
        assert!(measured.done > 0);
        assert_eq!(
            measured.errors.get(&DISCONNECTED),
            Some(&8),
            "each connection broke once"
        );
        assert!(measured.window.end_ns - measured.window.start_ns < 30_000_000_000);
    }
}

#[test]
fn cancelling_ends_the_window_and_keeps_what_was_measured() {
    let server = loaded(Flavor::Mysql);
    let config = config(
        server.target("logtrace"),
        "update_key",
        uniform(400.0),
        Duration::from_secs(60),
    );
    let cancel = CancellationToken::new();
    let (measured, _, ()) = drive_disturbed(&config, cancel.clone(), Duration::from_secs(1), || {
        cancel.cancel();
    });
    assert_eq!(measured.ended, EndReason::Interrupted);
    assert!(measured.done > 0 && measured.requests < 24_000);
    let cancelled_before = drive_and_observe(&config, cancel);
    assert!(matches!(cancelled_before, Err(DriveError::Cancelled)));
}

/// All requests go to the one row of the only table.
const ONE_ROW: Dataset = Dataset {
    tables: 1,
    rows: 1,
    keys: Keys::Uniform,
    seed: 1,
};

/// Locks the one row, and says so; lets it go 2.5 s after four others began to wait for it: each has timed out once by then.
async fn hold_row(options: Opts, locked: Sender<()>) {
    let mut conn = Conn::new(options.clone()).await.unwrap();
    conn.query_drop("BEGIN").await.unwrap();
    conn.query_drop("SELECT * FROM logtrace.sbtest1 FOR UPDATE")
        .await
        .unwrap();
    locked.send(()).unwrap();
    let mut observer = Conn::new(options).await.unwrap();
    let waiting = "SELECT COUNT(*) FROM information_schema.innodb_trx WHERE trx_state = 'LOCK WAIT'";
    while observer.query_first(waiting).await.unwrap() != Some(4) {
        // Asked more often than ten times a second, it answers the same each time (`trx0i_s.cc`).
        tokio::time::sleep(Duration::from_millis(150)).await;
    }
    tokio::time::sleep(Duration::from_millis(2500)).await;
    conn.query_drop("ROLLBACK").await.unwrap();
}

#[test]
fn lock_waits_that_time_out_are_retried_within_the_request_and_counted() {
    for flavor in FLAVORS {
        let server = Server::start(flavor, &["--innodb-lock-wait-timeout=1"]);
        let target = server.target("logtrace");
        load_dataset(&target, ONE_ROW);
        let options = server.options();
        let (locked, is_locked) = mpsc::channel();
        let holding = async { tokio::time::timeout(START_LIMIT, hold_row(options, locked)).await };
        let locker = thread::spawn(move || block_on(holding).expect("four others wait"));
        is_locked.recv().unwrap();
        let mut config = config(target, "update_key", uniform(20.0), Duration::from_millis(200));
        config.dataset = ONE_ROW;
        config.connections = NonZeroUsize::new(4).unwrap();
        let (measured, requests) = drive_and_observe(&config, CancellationToken::new()).unwrap();
        locker.join().unwrap();
        assert_eq!(
            (measured.requests, measured.done),
            (4, 4),
            "{flavor:?} {:?}",
            measured.errors
        );
        let retries: u32 = requests.iter().map(|request| request.retries).sum();
        assert!(retries >= 4, "{retries}");
        assert_eq!(measured.retries.get(&1205), Some(&u64::from(retries)));
        assert_eq!(measured.retries.len(), 1);
        assert_eq!(measured.retrying.len(), 4, "{flavor:?}");
        assert!(measured.retrying.min() > 900_000_000 && measured.retrying.max() <= measured.service.max());
        // Every wait that timed out is in the request's service time.
        assert!(
            requests
                .iter()
                .all(|r| r.service_ns() > u64::from(r.retries) * 900_000_000)
        );
    }
}

#[test]
fn errors_are_counted_by_code_after_their_retries_and_are_no_latencies() {
    for flavor in FLAVORS {
        let server = loaded(flavor);
        // One table always answers with a deadlock, the other with an error that nobody retries.
        for (table, signal) in [(1, "'40001' SET MYSQL_ERRNO = 1213"), (2, "'45000'")] {
            server.run(&format!(
                "CREATE TRIGGER logtrace.refuse{table} BEFORE UPDATE ON logtrace.sbtest{table} \
                 FOR EACH ROW SIGNAL SQLSTATE {signal}"
            ));
        }
        let config = config(
            server.target("logtrace"),
            "update_key",
            uniform(100.0),
            Duration::from_secs(1),
        );
        let measured = drive_to_end(&config);
        assert_eq!((measured.requests, measured.done), (100, 0), "{flavor:?}");
        assert_eq!(measured.achieved_per_s, 0.0);
        let (deadlocks, refused) = (measured.errors[&1213], measured.errors[&1644]);
        assert!(deadlocks > 0 && refused > 0 && deadlocks + refused == 100);
        assert_eq!(
            measured.retries.get(&1213),
            Some(&(u64::from(MAX_RETRIES) * deadlocks))
        );
        assert_eq!(measured.retries.len(), 1);
    }
}

#[test]
fn a_transaction_that_failed_leaves_nothing_behind() {
    for flavor in FLAVORS {
        let server = loaded(flavor);
        // The one row of a table that is refused comes after others that were changed.
        for table in 1..=DATASET.tables {
            server.run(&format!(
                "CREATE TRIGGER logtrace.refuse{table} BEFORE UPDATE ON logtrace.sbtest{table} FOR EACH ROW \
                 IF OLD.id % 10 = 0 THEN SIGNAL SQLSTATE '45000'; END IF"
            ));
        }
        let sum = || -> u64 {
            (1..=DATASET.tables)
                .flat_map(|table| server.query::<u64>(&format!("SELECT SUM(k) FROM logtrace.sbtest{table}")))
                .sum()
        };
        let before = sum();
        let config = config(
            server.target("logtrace"),
            "write_only_10",
            uniform(100.0),
            Duration::from_secs(1),
        );
        let measured = drive_to_end(&config);
        assert_eq!(measured.requests, 100, "{flavor:?}");
        assert!(measured.errors[&1644] > 0 && measured.done > 0, "{flavor:?}");
        assert_eq!(
            sum(),
            before + 10 * measured.done,
            "{flavor:?}: whole transactions alone"
        );
    }
}
