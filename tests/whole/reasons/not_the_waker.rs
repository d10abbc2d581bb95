//! Waits that end because another thread does something, which did not cause them: a number of commits, a replica that does not
//! answer. Each is found by its own name, as long as it took, and nothing is charged to a client.

use std::thread::sleep;
use std::time::Duration;

use logtrace_attribution::cause::{Cause, Wait};
use logtrace_common::{Detail, Flavor};
use logtrace_laboratory::semisync_pair::{SemisyncPair, role};
use mysql_async::Conn;
use mysql_async::prelude::Queryable;
use rustix::process::Signal;

use crate::common::{Running, alone, beside_others, send, total};
use crate::shapes::probe::{Client, Seen};

/// Time between the first commit and what ends its wait.
const DELAY: Duration = Duration::from_millis(300);

/// Most of the time of all commits has this name, for so long and no longer.
fn is_named(seen: &Seen, wait: Wait, times: u32) {
    let causes = &seen.breakdown.causes;
    let named = causes.iter().filter(|row| row.cause.wait == wait);
    let named = Duration::from_nanos(named.map(|row| row.total).sum());
    // Beside other load, all the rest may wait for a CPU.
    let share = seen.share(|cause: &Cause| cause.wait == wait || cause.wait.is_for_cpu());
    assert!(
        named >= (DELAY * times).mul_f64(0.95) && share >= 0.95,
        "{wait} {named:?}, {share}: {causes:?}"
    );
    assert_eq!(seen.breakdown.contradictions(), 0, "{causes:?}");
}

#[test]
fn the_first_of_two_commits_waits_for_the_second() {
    let _turn = beside_others();
    let mut client = Client::new("mariadb", &[]);
    let mut second = client.session();
    client.execute("SET GLOBAL binlog_commit_wait_usec = 20000000");
    client.execute("SET GLOBAL binlog_commit_wait_count = 2");
    let insert = "INSERT INTO t (v) VALUES (1)";
    let seen = client.traced_at(Detail::Io, |client| {
        for _ in 0..3 {
            client.execute_blocked(insert, &mut second, DELAY, insert);
        }
    });
    is_named(&seen, Wait::GroupDelay, 3);
    client.stop();
}

#[test]
fn a_delay_that_the_clock_ends_has_its_name_with_the_performance_schema_on() {
    let _turn = beside_others();
    let mut client = Client::new("mariadb", &["performance_schema=ON"]);
    client.execute("SET GLOBAL binlog_commit_wait_usec = 300000");
    client.execute("SET GLOBAL binlog_commit_wait_count = 10");
    let seen = client.traced(2, &["INSERT INTO t (v) VALUES (1)"]);
    is_named(&seen, Wait::GroupDelay, 2);
    client.stop();
}

#[test]
fn a_commit_of_mysql_waits_for_a_replica_until_that_is_switched_off() {
    waits_until_switched_off(Flavor::MySql);
}

#[test]
fn a_commit_of_mariadb_waits_for_a_replica_until_that_is_switched_off() {
    waits_until_switched_off(Flavor::MariaDb);
}

fn waits_until_switched_off(flavor: Flavor) {
    let _alone = alone();
    let pair = SemisyncPair::start(flavor);
    pair.source.tell("CREATE DATABASE d");
    pair.source.tell("CREATE TABLE d.t (i INT PRIMARY KEY)");
    let off = format!("SET GLOBAL rpl_semi_sync_{}_enabled = OFF", role(flavor));
    let tracing = Running::start(&format!("trace --pid {}", pair.source.pid()));
    pair.source.wait_until_traced();
    send(pair.replica.pid(), Signal::STOP);
    let options = pair.source.options();
    pair.source.with(async |mut commit| {
        let mut other = Conn::new(options).await.unwrap();
        let switch = async {
            tokio::time::sleep(DELAY).await;
            other.query_drop(off).await
        };
        let done = tokio::join!(commit.query_drop("INSERT INTO d.t VALUES (1)"), switch);
        done.0.and(done.1).unwrap();
    });
    send(pair.replica.pid(), Signal::CONT);
    sleep(DELAY);
    tracing.interrupt();
    let document = tracing.ended().document();
    let acks = total(&document, |row| row.cause.wait == Wait::SemisyncAck);
    let commits = total(&document, |row| !row.cause.wait.is_for_cpu());
    assert!(
        acks >= DELAY.mul_f64(0.9).as_nanos() as u64 && acks * 100 >= commits * 95,
        "{flavor}: {acks} of {commits} ns: {:?}",
        document.causes
    );
    assert_eq!(document.tracer.as_ref().unwrap().contradictions, 0, "{flavor}");
}
