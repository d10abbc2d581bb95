//! Limits on dirty pages and on memory.

use std::fs;
use std::thread;
use std::time::Duration;

use logtrace_attribution::cause::Wait;
use logtrace_common::{FileClass, Flavor};
use logtrace_server::enter_mount_namespace;

use super::tables::start_load;
use crate::cgroup::Cgroup;
use crate::comparison::Amount;
use crate::experiment::{Experiment, Setup};
use crate::foreign::Foreign;
use crate::guard::Guard;
use crate::load::{LoadStatements, StatementLoad};
use crate::loop_disk::{LoopDisk, run};

pub(super) const EXPERIMENTS: &[Experiment] = &[
    Experiment {
        name: "dirty-limit",
        put_in: "the kernel allows 2 MB of dirty pages (vm.dirty_bytes), and the binlog's device is slow",
        expected: "dirty throttling",
        is_expected: |_, cause| cause.wait == Wait::DirtyThrottling,
        start: dirty_limit,
    },
    Experiment {
        name: "memory-limit",
        put_in: "the server's control group has no memory left, and the binlog's device is slow",
        expected: "memory reclaim",
        is_expected: |_, cause| cause.wait == Wait::MemoryReclaim,
        start: memory_limit,
    },
];

/// Load of large rows: some megabytes a second.
const LARGE: LoadStatements = LoadStatements {
    text: "INSERT INTO d.b (v) VALUES (REPEAT('x', 200000))",
    connections: 1,
    pause: Duration::from_millis(5),
};

/// Delay of each write of the binlog's device. It writes slower than the load does.
const WRITE: Duration = Duration::from_millis(30);

/// Starts a server with a binlog that it does not sync, on a slow device.
fn start_on_slow_device(flavor: Flavor) -> anyhow::Result<(LoopDisk, Foreign, StatementLoad)> {
    enter_mount_namespace()?;
    // Without a journal: writes wait for nothing but memory then.
    let disk = LoopDisk::mount_without_journal()?;
    let placement = format!("{}={}", FileClass::Binlog, disk.path().display()).parse()?;
    let not_synced = "sync_binlog=0".parse()?;
    // A buffer pool that is full soon: one that still grows under a limit on memory has the server killed.
    let small_pool = "innodb_buffer_pool_size=24M".parse()?;
    let server = Foreign::start_as(flavor, |config| {
        config.storage.placements = vec![placement];
        config.settings = vec![not_synced, small_pool];
    });
    disk.slow.delay_writes(WRITE);
    let load = start_load(&server, LARGE)?;
    Ok((disk, server, load))
}

fn dirty_limit(flavor: Flavor) -> anyhow::Result<Setup> {
    let (disk, server, load) = start_on_slow_device(flavor)?;
    let setup = Setup::new(server, load, |_, _, with, length| {
        let limit = with.then(|| limit_dirty_bytes(2 << 20)).transpose()?;
        thread::sleep(length);
        drop(limit);
        Ok(Amount::ByClient)
    });
    Ok(setup.holding(disk))
}

/// Limits the dirty pages of the machine until the guard is dropped.
fn limit_dirty_bytes(bytes: u64) -> anyhow::Result<Guard> {
    let read = |name: &str| fs::read_to_string(format!("/proc/sys/vm/{name}"));
    // Either bytes or ratio is 0, and writing one makes the other 0 (mm/page-writeback.c).
    let (name, before) = match read("dirty_bytes")?.trim() {
        "0" => ("dirty_ratio", read("dirty_ratio")?),
        _ => ("dirty_bytes", read("dirty_bytes")?),
    };
    let path = format!("/proc/sys/vm/{name}");
    let guard = Guard::new("echo \"$2\" >\"$1\"", &[&path, before.trim()])?;
    fs::write("/proc/sys/vm/dirty_bytes", bytes.to_string())?;
    Ok(guard)
}

fn memory_limit(flavor: Flavor) -> anyhow::Result<Setup> {
    let (disk, server, load) = start_on_slow_device(flavor)?;
    let group = Cgroup::new("memory")?;
    group.add(server.pid())?;
    Ok(Setup::new(server, load, move |_, _, with, length| {
        // Dirty pages of a slow device would keep the memory.
        disk.slow.delay_writes(Duration::ZERO);
        run("sync", &["--file-system".as_ref(), disk.path()])?;
        if with {
            group.leave_no_memory()?;
        }
        disk.slow.delay_writes(WRITE);
        thread::sleep(length);
        group.limit_memory(None)?;
        Ok(Amount::ByClient)
    }))
}
