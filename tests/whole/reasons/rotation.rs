//! A commit behind the lock of the binlog waits for what the thread does that holds it: here it rotates the binlog, on a
//! file system whose fsync takes long.

use std::time::Duration;

use logtrace_attribution::cause::Who;
use logtrace_common::{FileClass, Flavor};
use logtrace_events::IoOp;
use logtrace_laboratory::foreign::Foreign;
use logtrace_laboratory::slow_disk::SlowDisk;
use logtrace_report::document::CauseRow;
use logtrace_server::enter_mount_namespace;
use mysql_async::prelude::Queryable;
use mysql_async::{Conn, OptsBuilder};

use super::HELD;
use crate::common::{Running, beside_others, total};

/// Time after which the rotation holds the lock and syncs the old binlog.
const BEGUN: Duration = Duration::from_millis(50);

/// Rotates the binlog in one session, and inserts a row in another one meanwhile.
fn insert_during_rotation(server: &Foreign) {
    let socket = server.socket();
    server.with(async |mut session| {
        let options = OptsBuilder::default()
            .user(Some("root"))
            .socket(Some(socket.to_string_lossy()));
        let mut client = Conn::new(options).await.unwrap();
        let insert = async {
            tokio::time::sleep(BEGUN).await;
            client.query_drop("INSERT INTO d.t VALUES (1)").await.unwrap();
        };
        let (rotated, ()) = tokio::join!(session.query_drop("FLUSH BINARY LOGS"), insert);
        rotated.unwrap();
    });
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
        let tracing = Running::start(&format!("trace --pid {}", server.pid()));
        server.wait_until_traced();
        slow.delay_syncs(HELD);
        insert_during_rotation(&server);
        slow.delay_syncs(Duration::ZERO);
        tracing.interrupt();
        let document = tracing.ended().document();
        let is_rotation = |row: &CauseRow| {
            row.cause.who == Who::Session && row.cause.io == Some((FileClass::Binlog, IoOp::Fsync))
        };
        let (found, held) = (total(&document, is_rotation), HELD.as_nanos() as u64);
        assert!(
            found >= held * 6 / 10,
            "{flavor}: {found} of {held} ns, {:?}",
            document.causes
        );
    }
}
