//! A source whose commits wait for a replica on another machine.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::time::Duration;

use logtrace_attribution::cause::Wait;
use logtrace_common::Flavor;
use logtrace_laboratory::network::TestNetwork;
use logtrace_laboratory::semisync_pair::SemisyncPair;
use logtrace_laboratory::slow_disk::SlowDisk;
use logtrace_report::document::Document;
use logtrace_server::enter_mount_namespace;

use super::{COMMITS, LATE, STOPPED, assert_named, stops, traced_commits};
use crate::common::alone;
use crate::join::on_own_thread;

/// Waits for the link, the process and the disk of the replica, in turn.
fn waits_for_a_replica_elsewhere(flavor: Flavor) {
    let _alone = alone();
    on_own_thread(|| {
        enter_mount_namespace().unwrap();
        let (network, disk) = (TestNetwork::create(2).unwrap(), SlowDisk::mount());
        // The server is another user.
        fs::set_permissions(disk.path(), Permissions::from_mode(0o777)).unwrap();
        let relay_log = format!("relay_log={}/relay", disk.path().display());
        let pair = SemisyncPair::start_in(&network, flavor, &[&relay_log]);
        let source = &pair.source;
        source.tell("CREATE DATABASE d");
        source.tell("CREATE TABLE d.t (i INT PRIMARY KEY)");
        // The source counts what it takes to wake up, too.
        let is_named = |what: &str, put_in, during: &dyn Fn() -> (Document, Duration)| {
            let what = format!("{flavor}, {what}");
            let before = pair.waited();
            let seen = during();
            println!("{what}: the source counted {:?}", pair.waited() - before);
            assert_named(&what, &seen, Wait::SemisyncAck, put_in);
            source.tell("TRUNCATE d.t");
        };
        // A transaction goes there, and its acknowledgement comes back.
        network.delay(1, LATE);
        is_named("a slow network", LATE * 2 * (COMMITS - 1), &|| {
            traced_commits(source, async |_| ())
        });
        network.delay(1, Duration::ZERO);
        let stopped = || traced_commits(source, stops(pair.replica.pid()));
        is_named("a stopped replica", STOPPED * (COMMITS / 10), &stopped);
        // Each transaction is synced before it is acknowledged.
        disk.delay_syncs(LATE);
        is_named("a slow disk", LATE * (COMMITS - 1), &|| {
            traced_commits(source, async |_| ())
        });
        disk.delay_syncs(Duration::ZERO);
        assert_eq!(pair.given_up(), 0, "commits that did not wait");
        // The relay log's disk goes after the servers, the network too.
        drop(pair);
    });
}

#[test]
fn commits_of_mysql_wait_for_a_replica_elsewhere() {
    waits_for_a_replica_elsewhere(Flavor::MySql);
}

#[test]
fn commits_of_mariadb_wait_for_a_replica_elsewhere() {
    waits_for_a_replica_elsewhere(Flavor::MariaDb);
}
