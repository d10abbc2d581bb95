//! Threads that could run and did not: who had the CPU is found by name, and a quota by its length.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use logtrace_common::Detail;
use logtrace_report::cause::Wait;
use logtrace_testkit::one_or_all;

use super::nanoseconds;
use crate::common::{Running, SERVERS, alone, share};
use crate::shapes::probe::Client;

/// A process that takes one CPU all the time.
struct Hog(Child);

impl Hog {
    fn on_cpu_0() -> Self {
        let hog = Command::new("taskset")
            .args(["--cpu-list", "0", "yes"])
            .stdout(Stdio::null())
            .spawn();
        Self(hog.unwrap())
    }
}

impl Drop for Hog {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Leaves a process and its threads only this CPU.
fn pin_to_cpu_0(pid: u32) {
    let pinned = Command::new("taskset")
        .args(["--all-tasks", "--cpu-list", "--pid", "0", &pid.to_string()])
        .stdout(Stdio::null())
        .status();
    assert!(pinned.unwrap().success());
}

#[test]
fn a_process_that_takes_the_servers_cpu_is_named() {
    let _alone = alone();
    for server in one_or_all(&SERVERS) {
        let mut client = Client::new(server, &[]);
        pin_to_cpu_0(client.pid());
        let hog = Hog::on_cpu_0();
        let seen = client.traced(20, &["INSERT INTO t (v) VALUES (1)"]);
        drop(hog);
        let behind = |cause: &logtrace_report::cause::Cause| cause.wait == Wait::RunQueueProcess;
        assert!(seen.share(behind) > 0.1, "{server}: {:?}", seen.breakdown.causes);
        let stacks = &seen.breakdown.stacks.commit;
        let is_named = |frames: &[String]| frames.iter().any(|frame| frame == "yes");
        assert!(
            stacks.iter().any(|stack| is_named(&stack.frames)),
            "{server}: {stacks:?}"
        );
        client.stop();
    }
}

/// Group of processes with a quota of a fifth of a CPU.
struct Quota {
    directory: PathBuf,
}

impl Quota {
    /// Makes a group with the controller of either version.
    fn new() -> Self {
        let v1 = Path::new("/sys/fs/cgroup/cpu");
        let (root, files) = if v1.is_dir() {
            (
                v1,
                &[("cpu.cfs_period_us", "100000"), ("cpu.cfs_quota_us", "20000")][..],
            )
        } else {
            (Path::new("/sys/fs/cgroup"), &[("cpu.max", "20000 100000")][..])
        };
        let directory = root.join(format!("logtrace-test-{}", std::process::id()));
        fs::create_dir(&directory).unwrap();
        for (file, value) in files {
            fs::write(directory.join(file), value).unwrap();
        }
        Self { directory }
    }

    fn take(&self, pid: u32) {
        fs::write(self.directory.join("cgroup.procs"), pid.to_string()).unwrap();
    }

    /// Time for which the kernel has kept the group off a CPU.
    fn throttled(&self) -> Duration {
        let stat = fs::read_to_string(self.directory.join("cpu.stat")).unwrap();
        let value = |name: &str| {
            let mut lines = stat.lines().filter_map(|line| line.split_once(' '));
            let (_, value) = lines.find(|(word, _)| *word == name)?;
            value.parse::<u64>().ok()
        };
        let microseconds = value("throttled_usec").map(Duration::from_micros);
        microseconds
            .or_else(|| value("throttled_time").map(Duration::from_nanos))
            .unwrap()
    }
}

impl Drop for Quota {
    fn drop(&mut self) {
        let _ = fs::remove_dir(&self.directory);
    }
}

#[test]
fn a_quota_is_as_long_as_the_kernel_says() {
    let _alone = alone();
    for server in one_or_all(&SERVERS) {
        let quota = Quota::new();
        let mut client = Client::new(server, &[]);
        // The kernel adds up the time of all CPUs on which the group has a thread.
        pin_to_cpu_0(client.pid());
        quota.take(client.pid());
        let mut expected = Duration::ZERO;
        let seen = client.traced_at(Detail::Full, |client| {
            client.execute("DO 1");
            let before = quota.throttled();
            client.execute("SELECT BENCHMARK(80000000, RAND())");
            expected = quota.throttled() - before;
            client.execute("DO 1");
            client.execute("DO 1");
        });
        let found = Duration::from_nanos(nanoseconds(&seen, false, Wait::Throttled));
        let ratio = found.as_secs_f64() / expected.as_secs_f64();
        assert!(
            (0.9..1.1).contains(&ratio),
            "{server}: {found:?} of {expected:?}, {:?}",
            seen.breakdown.statements
        );
        client.stop();
    }
}

#[test]
fn a_load_generator_on_the_servers_cpu_is_named() {
    let _alone = alone();
    for server in one_or_all(&SERVERS) {
        let mut pinned = Command::new("taskset");
        pinned.args(["--cpu-list", "0", env!("CARGO_BIN_EXE_logtrace")]);
        let arguments = format!(
            "run --server {server} --workload update_key --connections 8 --max --warmup 500ms --duration 3s"
        );
        let document = Running::start_as(pinned, &arguments).ended().document();
        let behind = |wait| share(&document, |row| row.cause.wait == wait);
        assert!(
            behind(Wait::RunQueueLoad) > 0.01,
            "{server}: {:?}",
            document.causes
        );
        assert!(
            behind(Wait::RunQueueLoad) > behind(Wait::RunQueueProcess),
            "{server}: {:?}",
            document.causes
        );
    }
}
