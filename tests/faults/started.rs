//! A program that was started, and what it came to.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use logtrace_report::document::Document;
use rustix::process::Signal;

use crate::common::{patiently, send, server_of};
use crate::home::entries;

/// No fault may make a run longer than this.
const BOUND: Duration = Duration::from_secs(120);

/// A program that runs; killed when dropped.
pub(crate) struct Started {
    child: Child,
    directory: PathBuf,
}

/// A program that has ended.
#[derive(Debug)]
pub(crate) struct Ended {
    /// Exit code; none after a signal.
    pub(crate) code: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
    directory: PathBuf,
}

impl Started {
    /// Starts a command; what it prints goes to files in `directory`, which no pipe can hold up.
    pub(crate) fn new(mut command: Command, directory: &Path) -> Self {
        command.stdout(File::create(directory.join("stdout")).unwrap());
        Self::with_stdout(command, directory)
    }

    /// The same, where the command has a stdout already.
    pub(crate) fn with_stdout(mut command: Command, directory: &Path) -> Self {
        let child = command
            .stdin(Stdio::null())
            .stderr(File::create(directory.join("stderr")).unwrap())
            .spawn()
            .unwrap();
        Self {
            child,
            directory: directory.to_owned(),
        }
    }

    pub(crate) fn child(&mut self) -> &mut Child {
        &mut self.child
    }

    /// Waits until the first second of the measured window is over.
    pub(crate) fn measuring(self) -> Self {
        self.waiting_for("the window", || {
            let runs = entries(&self.directory.join("logtrace-runs"));
            // The interval log gets its lines a second at a time, comments and the legend aside.
            runs.iter().any(|run| {
                fs::read_to_string(run.join("latency.hlog"))
                    .is_ok_and(|log| log.lines().any(|line| line.starts_with("Tag=")))
            })
        });
        self
    }

    /// Waits until a condition holds while the program runs.
    pub(crate) fn waiting_for(&self, what: &str, condition: impl Fn() -> bool) {
        let stat = format!("/proc/{}/stat", self.child.id());
        let ended = || fs::read_to_string(&stat).is_ok_and(|stat| stat.contains(") Z "));
        patiently(what, || condition() || ended());
        assert!(
            condition(),
            "ended before {what}: {}",
            fs::read_to_string(self.directory.join("stderr")).unwrap()
        );
    }

    pub(crate) fn signal(&self, signal: Signal) {
        send(self.child.id(), signal);
    }

    /// Its process.
    pub(crate) fn id(&self) -> u32 {
        self.child.id()
    }

    /// The server that it started.
    pub(crate) fn server(&self) -> u32 {
        self.server_if_started().unwrap()
    }

    /// The same, at any time.
    pub(crate) fn server_if_started(&self) -> Option<u32> {
        server_of(&self.child)
    }

    /// Waits for its end.
    pub(crate) fn ended(mut self) -> Ended {
        let start = Instant::now();
        let status = loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                break status;
            }
            assert!(start.elapsed() < BOUND, "it does not end");
            sleep(Duration::from_millis(5));
        };
        let read = |name| fs::read_to_string(self.directory.join(name)).unwrap_or_default();
        Ended {
            code: status.code(),
            stdout: read("stdout"),
            stderr: read("stderr"),
            directory: self.directory.clone(),
        }
    }
}

impl Drop for Started {
    fn drop(&mut self) {
        // Fails only for one that has ended.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Ended {
    /// Nothing but one error, with this exit code and each of these words in it.
    pub(crate) fn refused(&self, code: i32, words: &[&str]) {
        let Self { stdout, stderr, .. } = self;
        assert_eq!(self.code, Some(code), "{stderr}{stdout}");
        assert_eq!(stdout, "", "an error is not a result");
        let errors = stderr.lines().filter(|line| line.starts_with("error: "));
        assert_eq!(errors.count(), 1, "one error: {stderr}");
        for word in words {
            assert!(stderr.contains(word), "no {word:?} in: {stderr}");
        }
        self.reads_well();
    }

    /// Whether what a person reads is made for people.
    pub(crate) fn reads_well(&self) {
        for ugly in ["panicked", "backtrace", "Some(", "Err(", "Os {", "kind:", "\\\""] {
            assert!(!self.stderr.contains(ugly), "{ugly:?} in: {}", self.stderr);
        }
    }

    /// What the only run measured; its exit code is as its caveats say.
    pub(crate) fn measured(&self) -> Document {
        self.reads_well();
        let document = self.document();
        let degrading = [
            "late_generator",
            "server_died",
            "unfinished",
            "disk_full",
            "lost_records",
            "connections_lost",
        ];
        let degraded = document
            .caveats
            .iter()
            .any(|caveat| degrading.contains(&caveat.kind.as_str()));
        let expected = if degraded { 3 } else { 0 };
        assert_eq!(self.code, Some(expected), "{}{}", self.stderr, self.stdout);
        document
    }

    /// `run.json` of the only run.
    pub(crate) fn document(&self) -> Document {
        let runs = entries(&self.directory.join("logtrace-runs"));
        assert_eq!(runs.len(), 1, "{}", self.stderr);
        let text = fs::read_to_string(runs[0].join("run.json")).unwrap();
        logtrace_report::render::parse_json(&text).unwrap()
    }
}
