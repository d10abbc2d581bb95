//! Devices that are slow, limited, or frozen.

use std::fs;
use std::os::linux::fs::MetadataExt;
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use logtrace_attribution::cause::{Cause, Wait};
use logtrace_common::{FileClass, Flavor};
use logtrace_events::IoOp;
use logtrace_server::enter_mount_namespace;
use rustix::fs::{major, minor};

use super::tables::{UPDATE, start_load};
use crate::cgroup::Cgroup;
use crate::comparison::Amount;
use crate::experiment::{Experiment, Setup, nothing};
use crate::foreign::Foreign;
use crate::guard::Guard;
use crate::load::StatementLoad;
use crate::loop_disk::{LoopDisk, run};
use crate::slow_disk::FileCall;

pub(super) const EXPERIMENTS: &[Experiment] = &[
    Experiment {
        name: "device-flush",
        put_in: "each flush of the redo log's device takes 10 ms longer",
        expected: "redo fsync, device flush or journal commit",
        is_expected: |_, cause| {
            is_redo(cause)
                && matches!(
                    cause.wait,
                    Wait::DeviceFlush | Wait::FlushQueue | Wait::JournalCommit
                )
        },
        start: |flavor| slow_device(flavor, FileCall::Sync, Duration::from_millis(10)),
    },
    Experiment {
        name: "device-write",
        put_in: "each write of the redo log's device takes 5 ms longer",
        expected: "redo, data writeback, device I/O or journal commit",
        is_expected: |_, cause| {
            is_redo(cause)
                && matches!(
                    cause.wait,
                    Wait::DataWriteback | Wait::DeviceIo | Wait::JournalCommit
                )
        },
        start: |flavor| slow_device(flavor, FileCall::Write, Duration::from_millis(5)),
    },
    Experiment {
        name: "device-limit",
        put_in: "the server's control group may write 100 times a second to the redo log's device",
        expected: "redo, what the device does",
        is_expected: |_, cause| is_redo(cause) && is_device(cause.wait),
        start: limited_device,
    },
    Experiment {
        name: "freeze",
        put_in: "the binlog's file system is frozen for a time (fsfreeze)",
        expected: "file system lock",
        is_expected: |_, cause| cause.wait == Wait::FileSystemLock,
        start: frozen,
    },
];

/// Returns whether a wait is for what a device does. The kernel's stacks do not tell a limit on a device from the device.
fn is_device(wait: Wait) -> bool {
    matches!(
        wait,
        Wait::DataWriteback
            | Wait::DeviceIo
            | Wait::DeviceFlush
            | Wait::FlushQueue
            | Wait::JournalCommit
            | Wait::BlockThrottling
    )
}

fn is_redo(cause: &Cause) -> bool {
    matches!(cause.io, Some((FileClass::Redo, IoOp::Fsync | IoOp::Write)))
}

/// Starts a server with one class of files on a disk of its own.
fn start_on(flavor: Flavor, class: FileClass) -> anyhow::Result<(LoopDisk, Foreign, StatementLoad)> {
    enter_mount_namespace()?;
    let disk = LoopDisk::mount()?;
    let placement = format!("{class}={}", disk.path().display()).parse()?;
    let server = Foreign::start_as(flavor, |config| config.storage.placements = vec![placement]);
    let load = start_load(&server, UPDATE)?;
    Ok((disk, server, load))
}

fn slow_device(flavor: Flavor, call: FileCall, by: Duration) -> anyhow::Result<Setup> {
    let (disk, server, load) = start_on(flavor, FileClass::Redo)?;
    Ok(Setup::new(server, load, move |_, _, with, length| {
        if with {
            disk.slow.delay_for(call, by, length);
            Ok(Amount::ByClient)
        } else {
            nothing(length)
        }
    }))
}

fn limited_device(flavor: Flavor) -> anyhow::Result<Setup> {
    let (disk, server, load) = start_on(flavor, FileClass::Redo)?;
    let device = fs::metadata(disk.path())?.st_dev();
    let device = format!("{}:{}", major(device), minor(device));
    let group = Cgroup::new("blkio")?;
    group.add(server.pid())?;
    Ok(Setup::new(server, load, move |_, _, with, length| {
        group.limit_writes(&device, with.then_some(100))?;
        thread::sleep(length);
        group.limit_writes(&device, None)?;
        Ok(Amount::ByClient)
    })
    .holding(disk))
}

fn frozen(flavor: Flavor) -> anyhow::Result<Setup> {
    let (disk, server, load) = start_on(flavor, FileClass::Binlog)?;
    Ok(Setup::new(server, load, move |_, _, with, length| {
        if with {
            Ok(Amount::from(freeze(disk.path(), length)?))
        } else {
            nothing(length)
        }
    }))
}

/// Freezes a file system, and returns for how long.
fn freeze(directory: &Path, length: Duration) -> anyhow::Result<Duration> {
    let path = directory.to_string_lossy();
    // Opened before the file system is frozen; a process that is killed leaves it frozen otherwise.
    let thaw = Guard::new("fsfreeze --unfreeze \"$1\"", &[&path])?;
    run("fsfreeze", &["--freeze".as_ref(), directory])?;
    let start = Instant::now();
    thread::sleep(length);
    drop(thaw);
    Ok(start.elapsed())
}
