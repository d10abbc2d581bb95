//! A commit behind the lock of the binlog waits for what the thread does that holds it: here it rotates the binlog, on a
//! file system whose fsync takes long.

use std::time::{Duration, Instant};

use logtrace_attribution::cause::Who;
use logtrace_common::{FileClass, Flavor, units};
use logtrace_events::IoOp;
use logtrace_laboratory::foreign::Foreign;
use logtrace_laboratory::slow_disk::SlowDisk;
use logtrace_report::document::CauseRow;
use logtrace_server::enter_mount_namespace;
use mysql_async::Conn;
use mysql_async::prelude::Queryable;

use super::HELD;
use crate::common::{Running, beside_others, total};

/// Time after which the rotation holds the lock and syncs the old binlog.
const BEGUN: Duration = Duration::from_millis(50);

/// Rotates the binlog in one session, and inserts a row in another one meanwhile. Returns the connection of the first one, and how
/// long the row took.
fn insert_during_rotation(server: &Foreign) -> (u32, Duration) {
    let options = server.options();
    server.with(async |mut session| {
        let mut client = Conn::new(options).await.unwrap();
        let insert = async {
            tokio::time::sleep(BEGUN).await;
            let begun = Instant::now();
            client.query_drop("INSERT INTO d.t VALUES (1)").await.unwrap();
            begun.elapsed()
        };
        let (rotated, took) = tokio::join!(session.query_drop("FLUSH BINARY LOGS"), insert);
        rotated.unwrap();
        (session.id(), took)
    })
}

#[test]
fn a_commit_waits_for_the_sessions_fsync_of_the_binlog_that_it_rotates() {
    let _turn = beside_others();
    enter_mount_namespace().unwrap();
    let slow = SlowDisk::mount();
    for flavor in [Flavor::MySql, Flavor::MariaDb] {
        let server = Foreign::start_with_binlog_in(flavor, slow.path());
        server.tell("CREATE DATABASE d");
        server.tell("CREATE TABLE d.t (i INT PRIMARY KEY)");
        let tracing = Running::start(&format!("trace {}", server.address("root")));
        server.wait_until_traced();
        slow.delay_syncs(HELD);
        let (connection, took) = insert_during_rotation(&server);
        slow.delay_syncs(Duration::ZERO);
        tracing.interrupt();
        let ran = tracing.ended();
        let document = ran.document();
        let is_rotation = |row: &CauseRow| {
            let by_others = matches!(row.cause.who, Who::Session | Who::Background);
            by_others && row.cause.io == Some((FileClass::Binlog, IoOp::Fsync))
        };
        let found = total(&document, is_rotation);
        // The commit syncs the new binlog once, when the rotation is done.
        let expected = took - HELD;
        let ratio = Duration::from_nanos(found).as_secs_f64() / expected.as_secs_f64();
        assert!(
            (0.9..1.1).contains(&ratio),
            "{flavor}: {found} ns of {expected:?}, {:?}",
            document.causes
        );
        let accused = ran.accused();
        // MariaDB's list of processes has no statements that have ended.
        let statement = match flavor {
            Flavor::MySql => " (FLUSH",
            Flavor::MariaDb => "",
        };
        let told = format!(
            "A commit waited {} for a rotation of the binary log by connection {connection}, root@localhost{statement}",
            units::duration(found)
        );
        assert!(accused.starts_with(&told), "{flavor}: {}", ran.stdout());
    }
}
