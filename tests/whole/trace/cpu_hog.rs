//! A process on the server's only CPU is told first, with its control group.

use std::fs;
use std::path::PathBuf;

use logtrace_attribution::cause::Wait;
use logtrace_common::Flavor;
use logtrace_laboratory::foreign::Foreign;
use logtrace_laboratory::slow_disk::SlowDisk;
use logtrace_server::enter_mount_namespace;
use logtrace_testkit::one_or_all;

use crate::common::hog::{Hog, pin_to_cpu_0};
use crate::common::sysbench::{prepare, updates_at};
use crate::common::{Running, alone, total};

/// Updates, and their rate: little for a CPU.
const UPDATES: u32 = 600;
const RATE_PER_S: u32 = 100;

/// Control group of version 2, which limits nothing.
struct Group(PathBuf);

impl Group {
    fn new(name: &str) -> Self {
        let mounts = fs::read_to_string("/proc/self/mounts").unwrap();
        let mut mounts = mounts.lines().map(|line| line.split(' ').collect::<Vec<_>>());
        let mount = mounts.find(|mount| mount[2] == "cgroup2").unwrap();
        let directory = PathBuf::from(mount[1]).join(name);
        fs::create_dir(&directory).unwrap();
        Self(directory)
    }

    fn add(&self, pid: u32) {
        fs::write(self.0.join("cgroup.procs"), pid.to_string()).unwrap();
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        let _ = fs::remove_dir(&self.0);
    }
}

#[test]
fn who_has_the_servers_only_cpu_is_told_first_with_its_control_group() {
    let _alone = alone();
    enter_mount_namespace().unwrap();
    for &flavor in one_or_all(&[Flavor::MySql, Flavor::MariaDb]) {
        // Where syncs are fast, what a commit waits for is its CPU.
        let logs = [SlowDisk::mount(), SlowDisk::mount()];
        let foreign = Foreign::start_as(flavor, |config| {
            let placements = ["binlog", "redo"].iter().zip(&logs);
            let placements = placements.map(|(class, disk)| format!("{class}={}", disk.path().display()));
            config.storage.placements = placements.map(|placement| placement.parse().unwrap()).collect();
        });
        prepare(&foreign);
        pin_to_cpu_0(foreign.pid());
        let name = format!("logtrace-hog-{}", std::process::id());
        let group = Group::new(&name);
        let hog = Hog::on_cpu_0();
        group.add(hog.pid());
        let tracing = Running::start(&format!("trace --pid {}", foreign.pid()));
        foreign.wait_until_traced();
        updates_at(&foreign.socket(), UPDATES, Some(RATE_PER_S));
        tracing.interrupt();
        let ran = tracing.ended();
        drop(hog);
        drop(group);
        let document = ran.document();
        let waited = total(&document, |row| row.cause.wait == Wait::RunQueueProcess);
        let percent = 100.0 * waited as f64 / document.commits.as_ref().unwrap().total as f64;
        // Other processes of a busy machine may have a part of it.
        let accused = ran.accused();
        let (_, said) = accused
            .split_once("had the CPU for which commits waited in ")
            .unwrap_or_else(|| panic!("{flavor}: {}", ran.stdout()));
        let said: f64 = said.split(' ').next().unwrap().parse().unwrap();
        assert!((said - percent).abs() <= 1.0, "{flavor}: {percent} %, {accused}");
        let named = format!("yes (control group /{name})");
        assert!(accused.contains(&named), "{flavor}: {}", ran.stdout());
    }
}
