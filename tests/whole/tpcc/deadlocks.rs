//! Deadlocks that another client provokes: their transactions are undone and done again, and nothing counts twice.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use logtrace_report::document::{Document, Driver};
use mysql_async::prelude::Queryable;
use mysql_async::{Conn, Error};
use tokio::time::sleep;

use super::{FLAVORS, assert_consistent, assert_orders, wait_for_payments};
use crate::common::{Running, beside_others, driver};
use logtrace_laboratory::foreign::Foreign;
use logtrace_testkit::one_or_all;

/// `ER_LOCK_DEADLOCK`.
const DEADLOCK: &str = "1213";

/// Deadlocks that each way to them is to provoke. One round makes several, and all are to be over long before the load.
const WANTED: u64 = 10;

/// How often a way is taken at most.
const ROUNDS: u64 = 10;

/// Longest wait for somebody to be blocked; the load may be over.
const BLOCKED_WITHIN: Duration = Duration::from_secs(3);

/// The server undoes the transaction that changed less: this makes it the other one. No transaction of the workload
/// locks items, and no condition is about this column.
const HEAVY: &str = "UPDATE logtrace.item SET i_im_id = i_im_id + 1 WHERE i_id <= 500";

/// What is locked first and second, in the opposite order of the workload's.
struct Way {
    first: &'static str,
    second: &'static str,
}

/// Payments lock their warehouse and then their district.
const AGAINST_PAYMENTS: Way = Way {
    first: "SELECT d_id FROM logtrace.district FOR UPDATE",
    second: "SELECT w_id FROM logtrace.warehouse FOR UPDATE",
};

/// New orders have raised `d_next_o_id` and inserted rows when they lock their items' stock one after the other.
const AGAINST_NEW_ORDERS: Way = Way {
    first: "SELECT COUNT(*) FROM logtrace.stock WHERE s_w_id = 1 AND s_i_id > 50000 FOR UPDATE",
    second: "SELECT COUNT(*) FROM logtrace.stock WHERE s_w_id = 1 AND s_i_id <= 50000 FOR UPDATE",
};

#[test]
fn transactions_that_a_deadlock_undid_are_done_again_and_counted_once() {
    let _turn = beside_others();
    for &flavor in one_or_all(&FLAVORS) {
        let server = Foreign::start(flavor);
        let before = deadlocks(&server);
        let running = Running::start(&format!(
            "run --workload tpcc --check --no-trace --max --connections 16 --warmup 0s --duration 20s --server {}",
            server.address("root")
        ));
        wait_for_payments(&server, 30_000);
        let of_payments = provoked(&server, &AGAINST_PAYMENTS);
        let of_new_orders = provoked(&server, &AGAINST_NEW_ORDERS);
        let document = running.ended().good();
        let all = deadlocks(&server) - before;

        println!("{flavor}: {of_payments:?}, {of_new_orders:?}, {all} deadlocks");
        assert!(of_payments.others.min(of_new_orders.others) >= WANTED);
        assert_each_is_an_attempt(&document, all - of_payments.ours - of_new_orders.ours);
        assert_orders(&document);
        assert_consistent(&document);
    }
}

/// Each deadlock undid one attempt of the workload's. Whoever is undone again and again is given up in the end; nothing
/// else fails.
fn assert_each_is_an_attempt(document: &Document, deadlocks: u64) {
    let Driver { retries, errors, .. } = driver(document);
    let of_deadlocks = |by_code: &BTreeMap<String, u64>| by_code.get(DEADLOCK).copied().unwrap_or_default();
    let (repeated, given_up) = (of_deadlocks(retries), of_deadlocks(errors));
    assert_eq!(repeated + given_up, deadlocks, "{retries:?}, {errors:?}");
    assert!(given_up * 20 <= repeated, "{retries:?}, {errors:?}");
    assert!(errors.keys().all(|code| code == DEADLOCK), "{errors:?}");
}

/// Deadlocks while one way to them was taken.
#[derive(Debug, Default)]
struct Provoked {
    /// Those that undid a transaction of the workload.
    others: u64,
    /// Those that undid the one which provoked them.
    ours: u64,
}

fn provoked(server: &Foreign, way: &Way) -> Provoked {
    let before = deadlocks(server);
    let mut provoked = Provoked::default();
    for _ in 0..ROUNDS {
        provoked.ours += u64::from(server.with(async |conn| provoke(conn, way).await));
        provoked.others = deadlocks(server) - before - provoked.ours;
        if provoked.others >= WANTED {
            break;
        }
    }
    provoked
}

/// Locks in the opposite order; whether the server undid that and not the others.
async fn provoke(mut conn: Conn, way: &Way) -> bool {
    let locked = lock(&mut conn, way).await;
    conn.query_drop("ROLLBACK").await.unwrap();
    conn.disconnect().await.unwrap();
    match locked {
        Ok(()) => false,
        Err(Error::Server(error)) if error.code.to_string() == DEADLOCK => true,
        Err(error) => panic!("{error}"),
    }
}

async fn lock(conn: &mut Conn, way: &Way) -> mysql_async::Result<()> {
    for sql in ["BEGIN", HEAVY, way.first] {
        conn.query_drop(sql).await?;
    }
    until_blocked(conn).await?;
    conn.query_drop(way.second).await
}

/// Waits until a transaction that has changed something waits for a lock.
async fn until_blocked(conn: &mut Conn) -> mysql_async::Result<()> {
    let blocked = "SELECT COUNT(*) FROM information_schema.innodb_trx \
                   WHERE trx_state = 'LOCK WAIT' AND trx_rows_modified > 0";
    let start = Instant::now();
    while start.elapsed() < BLOCKED_WITHIN {
        if conn.query_first::<u64, _>(blocked).await? > Some(0) {
            break;
        }
        sleep(Duration::from_millis(20)).await;
    }
    Ok(())
}

/// Deadlocks that the server has found so far.
fn deadlocks(server: &Foreign) -> u64 {
    server.ask("SELECT `count` FROM information_schema.innodb_metrics WHERE name = 'lock_deadlocks'")
}
