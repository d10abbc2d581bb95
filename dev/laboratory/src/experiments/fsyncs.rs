//! Files of one class on a file system with slow calls.

use std::time::Duration;

use logtrace_common::{FileClass, Flavor};
use logtrace_events::IoOp;
use logtrace_server::enter_mount_namespace;

use super::tables::{UPDATE, start_load};
use crate::comparison::Amount;
use crate::experiment::{Experiment, Setup, nothing};
use crate::foreign::Foreign;
use crate::slow_disk::{FileCall, SlowDisk};

/// Delay of an fsync.
const SYNC: Duration = Duration::from_millis(10);

/// Delay of a write.
const WRITE: Duration = Duration::from_millis(5);

pub(super) const EXPERIMENTS: &[Experiment] = &[
    Experiment {
        name: "binlog-fsync",
        put_in: "each fsync of the binlog takes 10 ms longer",
        expected: "binlog fsync",
        is_expected: |_, cause| cause.io == Some((FileClass::Binlog, IoOp::Fsync)),
        start: |flavor| start(flavor, &[FileClass::Binlog], &[], FileCall::Sync, SYNC),
    },
    Experiment {
        name: "redo-fsync",
        put_in: "each fsync of the redo log takes 10 ms longer",
        expected: "redo fsync",
        is_expected: |_, cause| cause.io == Some((FileClass::Redo, IoOp::Fsync)),
        start: |flavor| start(flavor, &[FileClass::Redo], &[], FileCall::Sync, SYNC),
    },
    Experiment {
        name: "both-fsync",
        put_in: "each fsync of the binlog and of the redo log takes 10 ms longer",
        expected: "binlog fsync, redo fsync",
        is_expected: |_, cause| matches!(cause.io, Some((FileClass::Binlog | FileClass::Redo, IoOp::Fsync))),
        start: |flavor| {
            start(
                flavor,
                &[FileClass::Binlog, FileClass::Redo],
                &[],
                FileCall::Sync,
                SYNC,
            )
        },
    },
    Experiment {
        name: "slow-log",
        put_in: "each write of the slow log, which has all statements, takes 5 ms longer",
        expected: "slow_log write",
        is_expected: |_, cause| cause.io == Some((FileClass::SlowLog, IoOp::Write)),
        start: |flavor| start(flavor, &[FileClass::SlowLog], SLOW_LOG, FileCall::Write, WRITE),
    },
];

/// Settings with which all statements are in the slow log.
const SLOW_LOG: &[&str] = &["slow_query_log=ON", "long_query_time=0", "log_output=FILE"];

fn start(
    flavor: Flavor,
    classes: &[FileClass],
    settings: &[&str],
    call: FileCall,
    by: Duration,
) -> anyhow::Result<Setup> {
    enter_mount_namespace()?;
    // The other log is on such a file system too, one without a delay: what the machine's disk does is no gain.
    let (slow, prompt) = (SlowDisk::mount(), SlowDisk::mount());
    let place = |class: &FileClass| {
        let disk = if classes.contains(class) { &slow } else { &prompt };
        format!("{class}={}", disk.path().display()).parse()
    };
    let logs = [FileClass::Binlog, FileClass::Redo];
    let others = classes.iter().filter(|class| !logs.contains(class));
    let placements: Result<Vec<_>, _> = logs.iter().chain(others).map(place).collect();
    let placements = placements?;
    let server = Foreign::start_as(flavor, |config| {
        config.storage.placements = placements;
        config.settings = settings
            .iter()
            .filter_map(|setting| setting.parse().ok())
            .collect();
    });
    let load = start_load(&server, UPDATE)?;
    // MySQL's own threads sync the redo log too, and no statement waits for them.
    let is_synced_by_others = flavor == Flavor::MySql && classes.contains(&FileClass::Redo);
    Ok(Setup::new(server, load, move |_, _, with, length| {
        if !with {
            return nothing(length);
        }
        let delayed = slow.delay_for(call, by, length);
        Ok(if is_synced_by_others {
            Amount::ByClient
        } else {
            Amount::from(delayed)
        })
    })
    .holding(prompt))
}
