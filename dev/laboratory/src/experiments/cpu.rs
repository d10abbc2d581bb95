//! CPUs that others have, quotas, and a process that is stopped.

use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use logtrace_attribution::cause::Wait;
use logtrace_common::Flavor;
use rustix::process::{Pid, Signal, kill_process};
use rustix::thread::{CpuSet, sched_setaffinity};

use super::tables::{UPDATE, start_load};
use crate::cgroup::Cgroup;
use crate::comparison::Amount;
use crate::experiment::{Experiment, Setup, nothing};
use crate::foreign::Foreign;
use crate::guard::Guard;
use crate::kernel_clock::run_delay;
use crate::load::{LoadStatements, StatementLoad};

pub(super) const EXPERIMENTS: &[Experiment] = &[
    Experiment {
        name: "quota",
        put_in: "the server's control group has a quota of 30 % of a CPU",
        expected: "throttled",
        is_expected: |_, cause| cause.wait == Wait::Throttled,
        start: quota,
    },
    Experiment {
        name: "hog",
        put_in: "another process runs on the server's only CPU",
        expected: "run queue: other process",
        is_expected: |_, cause| cause.wait == Wait::RunQueueProcess,
        start: hog,
    },
    Experiment {
        name: "stopped",
        put_in: "the server is stopped and continued (SIGSTOP, SIGCONT)",
        expected: "stopped",
        is_expected: |_, cause| cause.wait == Wait::Stopped,
        start: stopped,
    },
];

/// CPU that the server has.
const SERVER_CPU: usize = 0;

/// CPU of the load and the tracer.
const LOAD_CPU: usize = 1;

/// Load that needs the CPU: some milliseconds a statement.
const BUSY: LoadStatements = LoadStatements {
    text: "UPDATE d.t SET v = v + 1 WHERE id = 1 + {n} % 100 AND BENCHMARK(200000, RAND()) = 0",
    connections: 1,
    pause: Duration::ZERO,
};

/// Starts a server that has one CPU, which its load does not use.
fn start_on_one_cpu(flavor: Flavor) -> anyhow::Result<(Foreign, StatementLoad)> {
    let server = Foreign::start(flavor);
    let cpu = SERVER_CPU.to_string();
    let pid = server.pid().to_string();
    let pinned = Command::new("taskset")
        .args(["--all-tasks", "--cpu-list", "--pid", &cpu, &pid])
        .stdout(Stdio::null())
        .status()?;
    anyhow::ensure!(pinned.success(), "cannot leave the server one CPU");
    let mut cpus = CpuSet::new();
    cpus.set(LOAD_CPU);
    // For this thread, and so for the load and the tracer.
    sched_setaffinity(None, &cpus)?;
    let load = start_load(&server, BUSY)?;
    Ok((server, load))
}

fn quota(flavor: Flavor) -> anyhow::Result<Setup> {
    let (server, load) = start_on_one_cpu(flavor)?;
    let group = Cgroup::new("cpu")?;
    group.add(server.pid())?;
    Ok(Setup::new(server, load, move |_, _, with, length| {
        let before = group.throttled()?;
        group.limit_cpu(with.then_some(30))?;
        thread::sleep(length);
        group.limit_cpu(None)?;
        Ok(Amount::from(group.throttled()? - before))
    }))
}

/// Process that takes a CPU all the time.
struct Hog(Child);

impl Hog {
    fn start() -> anyhow::Result<Self> {
        let cpu = SERVER_CPU.to_string();
        let mut hog = Command::new("taskset");
        hog.args(["--cpu-list", &cpu, "sh", "-c", "while :; do :; done"]);
        Ok(Self(hog.spawn()?))
    }
}

impl Drop for Hog {
    fn drop(&mut self) {
        // It has ended if it cannot be killed.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn hog(flavor: Flavor) -> anyhow::Result<Setup> {
    let (server, load) = start_on_one_cpu(flavor)?;
    Ok(Setup::new(server, load, move |server, load, with, length| {
        let waited = || run_delay(server.pid(), &load.threads());
        let hog = with.then(Hog::start).transpose()?;
        let before = waited()?;
        thread::sleep(length);
        let waited = waited()? - before;
        drop(hog);
        Ok(Amount::from(waited))
    }))
}

fn stopped(flavor: Flavor) -> anyhow::Result<Setup> {
    let server = Foreign::start(flavor);
    let load = start_load(&server, UPDATE)?;
    Ok(Setup::new(server, load, move |server, _, with, length| {
        if with {
            Ok(Amount::from(stop(server.pid(), length)?))
        } else {
            nothing(length)
        }
    }))
}

/// Stops a process, and returns for how long.
fn stop(pid: u32, length: Duration) -> anyhow::Result<Duration> {
    // A process that is killed leaves the server stopped otherwise.
    let go_on = Guard::new("kill -CONT \"$1\"", &[&pid.to_string()])?;
    let server = Pid::from_raw(i32::try_from(pid)?).ok_or_else(|| anyhow::anyhow!("no process"))?;
    kill_process(server, Signal::STOP)?;
    let start = Instant::now();
    thread::sleep(length);
    drop(go_on);
    Ok(start.elapsed())
}
