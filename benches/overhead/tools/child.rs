//! A tool that is a process of its own, and leaves at Ctrl-C.

use std::fs;
use std::process::{self, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::Context;
use rustix::process::{Pid, Signal, kill_process};

use crate::paired::pair::Attached;

/// It is at work.
#[derive(Debug)]
pub(crate) struct Child {
    child: process::Child,
    /// What it prints goes here, and away with it.
    _output: tempfile::TempDir,
}

/// An error, if it is not at work, or does not leave.
const LONGEST: Duration = Duration::from_secs(60);

/// Time between Ctrl-C and the next.
const ASK_AGAIN: Duration = Duration::from_secs(10);

impl Child {
    /// `perf trace -s`, which counts system calls by thread.
    pub(crate) fn perf_trace(server: u32) -> anyhow::Result<Self> {
        let mut command = Command::new("perf");
        command.args(["trace", "-s", "-p", &server.to_string()]);
        // It says nothing when it is ready: it has a perf event for each thread and CPU by then, and reads them.
        Self::start(command, |child, _| has_perf_events(child))
    }

    /// `strace -f -c`, which counts system calls.
    pub(crate) fn strace(server: u32) -> anyhow::Result<Self> {
        let mut command = Command::new("strace");
        command.args(["-f", "-c", "-p", &server.to_string()]);
        Self::start(command, |_, _| all_threads_are_traced(server))
    }

    /// Starts a tool, and returns when `is_ready`, given its process and what it printed, says that it is at work.
    pub(crate) fn start(mut command: Command, is_ready: impl Fn(u32, &str) -> bool) -> anyhow::Result<Self> {
        let name = command.get_program().to_string_lossy().into_owned();
        let output = tempfile::tempdir()?;
        let printed = output.path().join("output");
        let file = fs::File::create(&printed)?;
        command
            .stdin(Stdio::null())
            .stdout(file.try_clone()?)
            .stderr(file);
        let child = command.spawn().with_context(|| {
            format!(
                "{name} is not here: install it with apt-get install {}",
                package(&name)
            )
        })?;
        let mut started = Self {
            child,
            _output: output,
        };
        let deadline = Instant::now() + LONGEST;
        loop {
            let told = fs::read(&printed).unwrap_or_default();
            let told = String::from_utf8_lossy(&told);
            if is_ready(started.child.id(), &told) {
                return Ok(started);
            }
            let ended = started.child.try_wait()?;
            anyhow::ensure!(ended.is_none(), "{name} ended: {}", told.trim());
            anyhow::ensure!(Instant::now() < deadline, "{name} did not start: {}", told.trim());
            thread::sleep(Duration::from_millis(20));
        }
    }
}

impl Attached for Child {
    type Seen = ();

    fn begin(&mut self) -> anyhow::Result<()> {
        let ended = self.child.try_wait()?;
        anyhow::ensure!(ended.is_none(), "the tool ended at once");
        Ok(())
    }

    fn end(mut self) -> anyhow::Result<()> {
        let deadline = Instant::now() + LONGEST;
        while Instant::now() < deadline {
            // Again and again: bpftrace misses one now and then when the server is fast.
            kill_process(Pid::from_child(&self.child), Signal::INT)?;
            let again = Instant::now() + ASK_AGAIN;
            while Instant::now() < again {
                if self.child.try_wait()?.is_some() {
                    return Ok(());
                }
                thread::sleep(Duration::from_millis(10));
            }
        }
        anyhow::bail!("the tool does not leave")
    }
}

impl Drop for Child {
    fn drop(&mut self) {
        // One that left already is not there to be killed.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The Debian package of a program.
fn package(program: &str) -> &str {
    match program {
        "perf" => "linux-perf",
        other => other,
    }
}

/// As the kernel says, and not the tool.
fn all_threads_are_traced(process: u32) -> bool {
    let Ok(threads) = fs::read_dir(format!("/proc/{process}/task")) else {
        return false;
    };
    threads.flatten().all(|thread| {
        let status = fs::read_to_string(thread.path().join("status")).unwrap_or_default();
        status
            .lines()
            .filter_map(|line| line.strip_prefix("TracerPid:"))
            .all(|tracer| tracer.trim() != "0")
    })
}

fn has_perf_events(process: u32) -> bool {
    let Ok(files) = fs::read_dir(format!("/proc/{process}/fd")) else {
        return false;
    };
    files
        .flatten()
        .filter_map(|file| fs::read_link(file.path()).ok())
        .any(|file| file.to_string_lossy().contains("perf_event"))
}
