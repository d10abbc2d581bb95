//! Servers of several machines, with known delays in the second one's disk, network and process: the commits of the first wait
//! for as long, and that has its name. Needs root, /dev/net/tun, /dev/fuse, MySQL with its plugins, MariaDB and Galera.

mod galera;
mod group;
mod parallel_replica;
mod semisync;

use std::time::{Duration, Instant};

use logtrace_attribution::cause::Wait;
use logtrace_laboratory::foreign::Foreign;
use logtrace_report::document::Document;
use mysql_async::prelude::Queryable;
use rustix::process::Signal;

use crate::common::{Running, send, total};

/// Time by which each frame to and from the second machine is late.
const LATE: Duration = Duration::from_millis(20);

/// Time for which the second server is stopped.
const STOPPED: Duration = Duration::from_millis(400);

/// Number of commits of one connection, each in turn.
const COMMITS: u32 = 20;

/// Traces a server during some work. Returns the report, and what the work returns.
fn traced<T>(server: &Foreign, work: impl FnOnce() -> T) -> (Document, T) {
    let tracing = Running::start(&format!("trace --pid {}", server.pid()));
    server.wait_until_traced();
    let done = work();
    tracing.interrupt();
    let ran = tracing.ended();
    assert_eq!(ran.code(), Some(0), "{}", ran.stderr());
    (ran.document(), done)
}

/// Commits one transaction after the other. Returns how long they took by the client's clock.
fn commit(server: &Foreign, during: impl AsyncFn(u32)) -> Duration {
    let mut took = Duration::ZERO;
    server.with(async |mut conn| {
        for number in 0..COMMITS {
            let insert = async {
                let start = Instant::now();
                conn.query_drop(format!("INSERT INTO d.t VALUES ({number})"))
                    .await
                    .unwrap();
                took += start.elapsed();
            };
            // A process is stopped before the transaction is sent.
            tokio::join!(biased; during(number), insert);
        }
        conn.disconnect().await.unwrap();
    });
    took
}

/// Traces a server that commits.
fn traced_commits(server: &Foreign, during: impl AsyncFn(u32)) -> (Document, Duration) {
    traced(server, || commit(server, during))
}

/// Stops a process in each tenth commit, for a time. Returns what is to be done during a commit.
fn stops(pid: u32) -> impl AsyncFn(u32) {
    async move |number| {
        if number % 10 == 5 {
            send(pid, Signal::STOP);
            tokio::time::sleep(STOPPED).await;
            send(pid, Signal::CONT);
        }
    }
}

/// All commits were seen, but for one at the edge of the window, and the delay has one name: it is as long as what was put in, and no longer than the client waited.
fn assert_named(what: &str, (document, took): &(Document, Duration), wait: Wait, put_in: Duration) {
    assert_true(what, document);
    let commits = document.commits.as_ref().unwrap();
    assert!(
        commits.count.abs_diff(u64::from(COMMITS)) <= 1,
        "{what}: {} commits",
        commits.count
    );
    let named = Duration::from_nanos(total(document, |row| row.cause.wait == wait));
    println!("{what}: {wait} {named:?}, put in {put_in:?}, took {took:?}");
    assert!(
        named >= put_in.mul_f64(0.95) && named <= *took,
        "{what}: {:?}",
        document.causes
    );
}

/// Causes contradict nothing, and hardly any is known from the kind of wait alone.
fn assert_true(what: &str, document: &Document) {
    let commits = document.commits.as_ref().unwrap();
    let tracer = document.tracer.as_ref().unwrap();
    for row in document.causes.iter().take(8) {
        let share = row.total as f64 / commits.total as f64;
        println!("{what}: {share:.3} {:?}", row.cause);
    }
    println!(
        "{what}: {} commits, {} ns, last resort {}, unexplained {}, contradictions {}",
        commits.count, commits.total, document.last_resort, document.unexplained, tracer.contradictions
    );
    assert_eq!(tracer.contradictions, 0, "{what}: {:?}", document.causes);
    assert!(
        document.last_resort * 100 <= commits.total,
        "{what}: {:?}",
        document.causes
    );
}
