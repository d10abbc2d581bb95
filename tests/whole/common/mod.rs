//! Running the program as a user does, and reading what it leaves.

pub(crate) mod disk;
pub(crate) mod hog;
pub(crate) mod sound;
pub(crate) mod sysbench;

pub(crate) use logtrace_testkit::{alone, beside_others};

use std::fs;
use std::path::PathBuf;
use std::process::{Child, Command, Output, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use logtrace_attribution::cause::Who;
use logtrace_report::document::{CauseRow, CaveatKind, Document, Driver, Response, Workload};
use rustix::process::{Pid, Signal, kill_process};
use tempfile::TempDir;

/// Both servers, as `--server` names them.
pub(crate) const SERVERS: [&str; 2] = ["mysql", "mariadb"];

/// Waits until `condition` holds, and fails when that never comes.
pub(crate) fn patiently(what: &str, condition: impl Fn() -> bool) {
    let start = Instant::now();
    while !condition() {
        assert!(
            start.elapsed() < Duration::from_secs(180),
            "waited in vain for {what}"
        );
        sleep(Duration::from_millis(10));
    }
}

/// The private server of a program that runs, once it is started.
pub(crate) fn server_of(program: &Child) -> Option<u32> {
    let id = program.id();
    let children = fs::read_to_string(format!("/proc/{id}/task/{id}/children")).ok()?;
    children.split_whitespace().next()?.parse().ok()
}

/// Returns the time by the clock of the kernel side.
pub(crate) fn now_ns() -> u64 {
    let now = rustix::time::clock_gettime(rustix::time::ClockId::Monotonic);
    u64::try_from(now.tv_sec * 1_000_000_000 + now.tv_nsec).unwrap()
}

/// Sends a signal to a process.
pub(crate) fn send(process: u32, signal: Signal) {
    let pid = Pid::from_raw(i32::try_from(process).unwrap()).unwrap();
    kill_process(pid, signal).unwrap();
}

/// The program.
pub(crate) fn logtrace() -> Command {
    Command::new(env!("CARGO_BIN_EXE_logtrace"))
}

/// One `logtrace run` or `logtrace trace` that has ended.
#[derive(Debug)]
pub(crate) struct Ran {
    /// Exit code, stdout and stderr.
    pub(crate) output: Output,
    /// The run directory, if there is one.
    pub(crate) dir: Option<PathBuf>,
    _out: TempDir,
}

/// One `logtrace run` or `logtrace trace` that goes on.
#[derive(Debug)]
pub(crate) struct Running {
    program: Program,
    out: TempDir,
}

/// Program that a failing test does not leave behind: what it left on a server would be said by the runs of other tests.
#[derive(Debug)]
struct Program(Option<Child>);

impl Program {
    fn child(&self) -> &Child {
        self.0.as_ref().unwrap()
    }

    /// Waits for its end.
    fn output(mut self) -> Output {
        self.0.take().unwrap().wait_with_output().unwrap()
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        let Some(mut child) = self.0.take() else {
            return;
        };
        send(child.id(), Signal::INT);
        let start = Instant::now();
        while child.try_wait().is_ok_and(|ended| ended.is_none()) {
            if start.elapsed() > Duration::from_secs(30) {
                // Fails only for one that has ended.
                let _ = child.kill();
            }
            sleep(Duration::from_millis(10));
        }
    }
}

/// Runs `logtrace run` with these arguments, given as one string.
pub(crate) fn run(arguments: &str) -> Ran {
    Running::start(&format!("run {arguments}")).ended()
}

impl Running {
    /// Starts the program with these arguments, given as one string.
    pub(crate) fn start(arguments: &str) -> Self {
        Self::start_as(logtrace(), arguments)
    }

    /// Starts the program as `command` does, with more arguments.
    pub(crate) fn start_as(mut command: Command, arguments: &str) -> Self {
        let out = tempfile::tempdir().unwrap();
        command
            .args(arguments.split_whitespace())
            .arg("--out")
            .arg(out.path())
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let program = Program(Some(command.spawn().unwrap()));
        Self { program, out }
    }

    /// Ends it as Ctrl-C does.
    pub(crate) fn interrupt(&self) {
        send(self.pid(), Signal::INT);
    }

    /// Its process.
    pub(crate) fn pid(&self) -> u32 {
        self.program.child().id()
    }

    /// The run directory, once it is there.
    pub(crate) fn dir(&self) -> Option<PathBuf> {
        dir_in(&self.out)
    }

    /// Its private server, once it is started.
    pub(crate) fn server(&self) -> Option<u32> {
        server_of(self.program.child())
    }

    /// Waits for its end.
    pub(crate) fn ended(self) -> Ran {
        let Self { program, out } = self;
        let output = program.output();
        let dir = dir_in(&out);
        Ran {
            output,
            dir,
            _out: out,
        }
    }
}

/// The one run directory in `out`.
fn dir_in(out: &TempDir) -> Option<PathBuf> {
    let mut entries = fs::read_dir(out.path()).unwrap();
    entries.next().map(|entry| entry.unwrap().path())
}

impl Ran {
    /// The exit code; a signal is none.
    pub(crate) fn code(&self) -> Option<i32> {
        self.output.status.code()
    }

    /// What was printed as the result.
    pub(crate) fn stdout(&self) -> String {
        String::from_utf8_lossy(&self.output.stdout).into_owned()
    }

    /// Messages.
    pub(crate) fn stderr(&self) -> String {
        String::from_utf8_lossy(&self.output.stderr).into_owned()
    }

    /// Returns the sentences of the answer before what a commit takes on average: those about who held commits up.
    pub(crate) fn accused(&self) -> String {
        let stdout = self.stdout();
        let answer = stdout.split("\n\n").find(|part| part.contains("A commit takes"));
        let answer = answer.unwrap_or_else(|| panic!("{stdout}"));
        let words = answer.split_whitespace().collect::<Vec<_>>().join(" ");
        words
            .split("A commit takes")
            .next()
            .unwrap()
            .trim_end()
            .to_owned()
    }

    /// A file of the run directory.
    pub(crate) fn file(&self, name: &str) -> PathBuf {
        self.dir.as_ref().expect("the run left a directory").join(name)
    }

    /// `run.json`, which must be there and add up.
    pub(crate) fn document(&self) -> Document {
        let path = self.file("run.json");
        let text = fs::read_to_string(&path).unwrap_or_else(|error| panic!("{error}: {}", self.stderr()));
        logtrace_report::parse_json(&text).unwrap()
    }

    /// What `logtrace report` makes of it again.
    pub(crate) fn report(&self, format: &str) -> String {
        let dir = self.dir.as_ref().expect("the run left a directory");
        printed(logtrace().arg("report").arg(dir).args(["--format", format]))
    }

    /// The document of a run that must have gone well. That this machine was too busy to send on time is no fault
    /// of the program: it says so, and with exit code 3.
    pub(crate) fn good(&self) -> Document {
        let document = self.document();
        let late = document
            .caveats
            .iter()
            .any(|caveat| caveat.kind == CaveatKind::LateGenerator);
        let expected = if late { Some(3) } else { Some(0) };
        assert_eq!(self.code(), expected, "{}\n{}", self.stderr(), self.stdout());
        document
    }
}

/// Returns what a command prints. It must succeed.
pub(crate) fn printed(command: &mut Command) -> String {
    let output = command.output().unwrap();
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    String::from_utf8(output.stdout).unwrap()
}

/// Kinds of a document's caveats, without `cpu_taken`: what the hypervisor takes is not the program's doing.
pub(crate) fn caveats(document: &Document) -> Vec<&CaveatKind> {
    let kinds = document.caveats.iter().map(|caveat| &caveat.kind);
    kinds.filter(|&kind| *kind != CaveatKind::CpuTaken).collect()
}

/// Whether a document has a caveat of this kind.
pub(crate) fn tells(document: &Document, kind: &CaveatKind) -> bool {
    document.caveats.iter().any(|caveat| caveat.kind == *kind)
}

/// What the driver of a `logtrace run` measured.
pub(crate) fn driver(document: &Document) -> &Driver {
    document.driver.as_ref().expect("the load was logtrace's")
}

/// What a `logtrace run` asked of its server.
pub(crate) fn workload(document: &Document) -> &Workload {
    document.workload.as_ref().expect("the load was logtrace's")
}

/// Requests that were done in the window: a server that stalled at its end does the rest of them after it.
pub(crate) fn done_in_window(document: &Document) -> u64 {
    let driver = driver(document);
    let done = match driver.offered_per_s {
        Some(offered_per_s) => driver.requests as f64 * driver.achieved_per_s / offered_per_s,
        None => driver.achieved_per_s * workload(document).duration_s,
    };
    done.round() as u64
}

/// Nanoseconds of all parts of the response times.
pub(crate) fn sum_of_parts(response: &Response) -> u64 {
    let Response {
        lag,
        client,
        before_commit,
        commit,
        after_commit,
        ..
    } = response;
    lag + client + before_commit + commit + after_commit
}

/// Nanoseconds of the causes that `wanted` chooses.
pub(crate) fn total(document: &Document, wanted: impl Fn(&CauseRow) -> bool) -> u64 {
    document
        .causes
        .iter()
        .filter(|cause| wanted(cause))
        .map(|cause| cause.total)
        .sum()
}

/// Their share of the commit time, but for that of the slowest 1 %: when a device stalls for seconds, as shared ones do,
/// a few commits take longer than all others together.
pub(crate) fn share(document: &Document, wanted: impl Fn(&CauseRow) -> bool) -> f64 {
    let commits = document.commits.as_ref().expect("the run was traced");
    let causes = document.causes.iter().filter(|cause| wanted(cause));
    let usual: u64 = causes.map(|cause| cause.total - cause.slowest).sum();
    usual as f64 / (commits.total - commits.slowest_total) as f64
}

/// Whether a cause is another commit's work.
pub(crate) fn is_leader(cause: &CauseRow) -> bool {
    matches!(cause.cause.who, Who::Leader | Who::PreviousGroup)
}
