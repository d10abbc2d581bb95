//! A commit that is under way when a trace ends.

use std::time::Duration;

use logtrace_attribution::cause::Wait;
use logtrace_common::Flavor;
use logtrace_laboratory::foreign::Foreign;
use mysql_async::Conn;
use mysql_async::prelude::Queryable;

use crate::common::{Running, beside_others, caveats, total};

/// Length of the trace, which a busy machine needs to see the probes, and time for which the commit is held beyond its end.
const TRACE: Duration = Duration::from_secs(12);
const BEYOND: Duration = Duration::from_secs(2);

#[test]
fn a_commit_that_is_held_beyond_the_end_of_a_trace_is_waited_for() {
    let _turn = beside_others();
    for flavor in [Flavor::MySql, Flavor::MariaDb] {
        let server = Foreign::start(flavor);
        server.tell("CREATE DATABASE d");
        server.tell("CREATE TABLE d.t (id INT PRIMARY KEY)");
        let running = Running::start(&format!(
            "trace --pid {} --duration {}s",
            server.pid(),
            TRACE.as_secs()
        ));
        server.wait_until_traced();
        server.with(async |mut writer| {
            let mut holder = Conn::new(writer.opts().clone()).await.unwrap();
            writer.query_drop("BEGIN").await.unwrap();
            writer.query_drop("INSERT INTO d.t VALUES (1)").await.unwrap();
            holder.query_drop("FLUSH TABLES WITH READ LOCK").await.unwrap();
            let release = async {
                tokio::time::sleep(TRACE + BEYOND).await;
                holder.query_drop("UNLOCK TABLES").await.unwrap();
            };
            let (committed, ()) = tokio::join!(writer.query_drop("COMMIT"), release);
            committed.unwrap();
        });
        let ran = running.ended();
        let document = ran.document();
        let commits = document.commits.as_ref().unwrap();
        assert_eq!((commits.count, caveats(&document)), (1, Vec::new()), "{flavor}");
        let window_ns = (document.trace.as_ref().unwrap().duration_s * 1e9) as u64;
        assert!(commits.total > window_ns, "{flavor}: {} ns", commits.total);
        let lock_ns = total(&document, |row| row.cause.wait == Wait::CommitLock);
        assert!(
            lock_ns * 10 > commits.total * 9,
            "{flavor}: {:?}",
            document.causes
        );
    }
}
