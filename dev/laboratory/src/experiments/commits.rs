//! Delays that the server itself makes for commits.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::rc::Rc;
use std::thread;
use std::time::Duration;

use logtrace_attribution::cause::{Wait, Who};
use logtrace_common::{FileClass, Flavor};
use logtrace_events::IoOp;
use logtrace_server::enter_mount_namespace;

use super::tables::{UPDATE, start_load};
use crate::comparison::{Amount, Time};
use crate::experiment::{Experiment, Setup, nothing};
use crate::foreign::Foreign;
use crate::load::LoadStatements;
use crate::loop_disk::LoopDisk;
use crate::semisync_pair::SemisyncPair;
use crate::slow_disk::{FileCall, SlowDisk};

pub(super) const EXPERIMENTS: &[Experiment] = &[
    Experiment {
        name: "group-delay",
        put_in: "a group of commits waits 10 ms for more of them",
        expected: "group commit delay",
        is_expected: |_, cause| cause.wait == Wait::GroupDelay,
        start: group_delay,
    },
    Experiment {
        name: "semisync",
        put_in: "the replica acknowledges each commit 10 ms later",
        expected: "semisync ACK",
        is_expected: |_, cause| cause.wait == Wait::SemisyncAck,
        start: semisync,
    },
    Experiment {
        name: "rotation",
        put_in: "the binlog rotates with much of it still to be written to a slow device",
        expected: "binlog fsync of a session",
        is_expected: |_, cause| {
            cause.who == Who::Session && cause.io == Some((FileClass::Binlog, IoOp::Fsync))
                || cause.wait == Wait::BinlogRotation
        },
        start: rotation,
    },
];

fn group_delay(flavor: Flavor) -> anyhow::Result<Setup> {
    let server = Foreign::start(flavor);
    let (on, off) = if flavor == Flavor::MySql {
        (
            &["SET GLOBAL binlog_group_commit_sync_delay = 10000"][..],
            "SET GLOBAL binlog_group_commit_sync_delay = 0",
        )
    } else {
        (
            &[
                "SET GLOBAL binlog_commit_wait_usec = 10000",
                "SET GLOBAL binlog_commit_wait_count = 100",
            ][..],
            "SET GLOBAL binlog_commit_wait_count = 0",
        )
    };
    let load = start_load(&server, UPDATE)?;
    Ok(Setup::new(server, load, move |server, _, with, length| {
        if !with {
            return nothing(length);
        }
        on.iter().for_each(|statement| server.tell(statement));
        thread::sleep(length);
        server.tell(off);
        Ok(Amount::ByClient)
    }))
}

fn semisync(flavor: Flavor) -> anyhow::Result<Setup> {
    enter_mount_namespace()?;
    let slow = Rc::new(SlowDisk::mount());
    // The server is another user.
    fs::set_permissions(slow.path(), Permissions::from_mode(0o777))?;
    let relay_log = format!("relay_log={}/relay", slow.path().display());
    let SemisyncPair { source, replica, .. } = SemisyncPair::start_with(flavor, &[&relay_log]);
    let load = start_load(&source, UPDATE)?;
    let disk = Rc::clone(&slow);
    let setup = Setup::new(source, load, move |_, _, with, length| {
        if with {
            let delay = Duration::from_millis(10);
            Ok(Amount::from(disk.delay_for(FileCall::Sync, delay, length)))
        } else {
            nothing(length)
        }
    });
    // The disk of the replica's relay log goes after it.
    Ok(setup.holding(replica).holding(slow))
}

/// Load of large rows: some megabytes a second.
const LARGE: LoadStatements = LoadStatements {
    text: "INSERT INTO d.b (v) VALUES (REPEAT('x', 100000))",
    connections: 1,
    pause: Duration::from_millis(5),
};

/// Delay of each write of the binlog's device.
const WRITE: Duration = Duration::from_millis(5);

fn rotation(flavor: Flavor) -> anyhow::Result<Setup> {
    enter_mount_namespace()?;
    let disk = LoopDisk::mount()?;
    let placement = format!("{}={}", FileClass::Binlog, disk.path().display()).parse()?;
    let not_synced = "sync_binlog=0".parse()?;
    let server = Foreign::start_as(flavor, |config| {
        config.storage.placements = vec![placement];
        config.settings = vec![not_synced];
    });
    let load = start_load(&server, LARGE)?;
    Ok(Setup::new(server, load, move |server, _, with, length| {
        if !with {
            return nothing(length);
        }
        rotate(&disk, server, length);
        Ok(Amount::ByClient)
    })
    .comparing(Time::Commits))
}

/// Rotates the binlog on a slow device at the middle of a time.
fn rotate(disk: &LoopDisk, server: &Foreign, length: Duration) {
    thread::sleep(length / 2);
    disk.slow.delay_writes(WRITE);
    server.tell("FLUSH BINARY LOGS");
    disk.slow.delay_writes(Duration::ZERO);
    thread::sleep(length / 2);
}
