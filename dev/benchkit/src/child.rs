//! A tool that is a process of its own, and leaves at Ctrl-C.

use std::fs::{self, File};
use std::process::{self, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::Context;
use rustix::process::{Pid, Signal, kill_process};

use crate::pair::Attached;

/// Process of a tool that watches the server.
#[derive(Debug)]
pub struct Child {
    child: process::Child,
    /// Directory of the output, which is removed with this value.
    output: tempfile::TempDir,
}

const STDOUT: &str = "stdout";
const STDERR: &str = "stderr";

/// An error, if it is not at work, or does not leave.
const LONGEST: Duration = Duration::from_secs(60);

/// Time between Ctrl-C and the next.
const ASK_AGAIN: Duration = Duration::from_secs(10);

impl Child {
    /// Starts a tool, and returns when `is_ready`, given its process and what it printed, says that it is at work.
    pub fn start(mut command: Command, is_ready: impl Fn(u32, &str) -> bool) -> anyhow::Result<Self> {
        let name = command.get_program().to_string_lossy().into_owned();
        let output = tempfile::tempdir()?;
        command
            .stdin(Stdio::null())
            .stdout(File::create(output.path().join(STDOUT))?)
            .stderr(File::create(output.path().join(STDERR))?);
        let child = command.spawn().with_context(|| {
            format!(
                "{name} is not here: install it with apt-get install {}",
                package(&name)
            )
        })?;
        let mut started = Self { child, output };
        let deadline = Instant::now() + LONGEST;
        loop {
            let told = started.printed(STDERR) + &started.printed(STDOUT);
            if is_ready(started.child.id(), &told) {
                return Ok(started);
            }
            let ended = started.child.try_wait()?;
            anyhow::ensure!(ended.is_none(), "{name} ended: {}", told.trim());
            anyhow::ensure!(Instant::now() < deadline, "{name} did not start: {}", told.trim());
            thread::sleep(Duration::from_millis(20));
        }
    }

    /// Returns the process ID.
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// Fails if it has left.
    pub fn check(&mut self) -> anyhow::Result<()> {
        let ended = self.child.try_wait()?;
        anyhow::ensure!(ended.is_none(), "the tool ended by itself");
        Ok(())
    }

    /// Lets it leave in order, and returns what it printed on stdout.
    pub fn leave(mut self) -> anyhow::Result<String> {
        let deadline = Instant::now() + LONGEST;
        // Again and again: bpftrace misses one now and then when the server is fast. In the background, Ctrl-C is ignored.
        let mut signals = [Signal::INT, Signal::TERM].into_iter().cycle();
        while Instant::now() < deadline {
            let signal = signals.next().unwrap_or(Signal::INT);
            kill_process(Pid::from_child(&self.child), signal)?;
            let again = Instant::now() + ASK_AGAIN;
            while Instant::now() < again {
                if self.child.try_wait()?.is_some() {
                    return Ok(self.printed(STDOUT));
                }
                thread::sleep(Duration::from_millis(10));
            }
        }
        anyhow::bail!("the tool does not leave")
    }

    fn printed(&self, file: &str) -> String {
        let bytes = fs::read(self.output.path().join(file)).unwrap_or_default();
        String::from_utf8_lossy(&bytes).into_owned()
    }
}

impl Attached for Child {
    type Seen = ();

    fn begin(&mut self) -> anyhow::Result<()> {
        self.check()
    }

    fn end(self) -> anyhow::Result<()> {
        self.leave()?;
        Ok(())
    }
}

impl Drop for Child {
    fn drop(&mut self) {
        // One that left already is not there to be killed.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Returns the Debian package of a program.
fn package(program: &str) -> &str {
    match program {
        "perf" => "linux-perf",
        other => other,
    }
}
