//! A process that executes another program while a trace of it starts.

use std::fs::{self, Permissions};
use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread::{sleep, yield_now};
use std::time::{Duration, Instant};

use logtrace_laboratory::probes_in_code::changed_code_bytes;
use rustix::fs::inotify::{CreateFlags, Reader, WatchFlags, add_watch, init};
use tempfile::TempDir;

use crate::common::beside_others;
use crate::faults::fixture::home::Home;
use crate::faults::fixture::started::Started;
use crate::faults::privilege::NOBODY;

/// Program that has commits, as far as probes look at it. It executes its argument when it has read a byte.
const SERVER: &str = r"
    #include <unistd.h>
    volatile unsigned long work;
    __attribute__((noinline)) int _ZN11MDL_context12acquire_lockEP11MDL_requestm(void *c, void *r, unsigned long t) {
        work += t;
        return r == c;
    }
    __attribute__((noinline)) void _ZN11MDL_context12release_lockE17enum_mdl_durationP10MDL_ticket(void *c, int d, void *t) {
        work += d;
    }
    __attribute__((noinline)) int _Z15ha_commit_transP3THDbb(void *thd, int all, int ignored) {
        if (_ZN11MDL_context12acquire_lockEP11MDL_requestm(thd, 0, 3)) return 1;
        work += 7;
        _ZN11MDL_context12release_lockE17enum_mdl_durationP10MDL_ticket(thd, 1, 0);
        work += 9;
        return 0;
    }
    int main(int count, char **arguments) {
        char byte;
        while (read(0, &byte, 1) != 1);
        execv(arguments[1], arguments + 1);
        return 1;
    }
";

/// Program of root, with code wherever the other one has some. It only waits.
const OTHER: &str = r#"
    #include <unistd.h>
    void filled(void);
    __asm__(".text\n.globl filled\nfilled:\n.fill 65536, 1, 0x90\nret\n");
    int main(void) {
        for (;;) pause();
    }
"#;

/// Number of moments that are tried.
const MOMENTS: u32 = 50;

/// Programs of a process that poses as a server, and of root.
pub(super) struct Programs {
    directory: TempDir,
}

impl Programs {
    pub(super) fn new() -> Self {
        let directory = tempfile::Builder::new().prefix("lt-").tempdir_in("/tmp").unwrap();
        fs::set_permissions(directory.path(), Permissions::from_mode(0o755)).unwrap();
        for (name, source) in [("mysqld", SERVER), ("other", OTHER)] {
            let file = directory.path().join(format!("{name}.c"));
            fs::write(&file, source).unwrap();
            let mut compiler = Command::new("gcc");
            compiler
                .args(["-O1", "-w", "-o"])
                .arg(directory.path().join(name))
                .arg(&file);
            assert!(compiler.status().unwrap().success());
        }
        Self { directory }
    }

    pub(super) fn path(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    /// Starts the program that poses as a server, in a directory of root.
    pub(super) fn start(&self) -> Process {
        let mut command = Command::new(self.path("mysqld"));
        command.arg(self.path("other")).uid(NOBODY).gid(NOBODY);
        command.current_dir(self.directory.path());
        Process(command.stdin(Stdio::piped()).spawn().unwrap())
    }
}

/// Process that poses as a server; killed when dropped.
pub(super) struct Process(Child);

impl Process {
    pub(super) fn pid(&self) -> u32 {
        self.0.id()
    }

    /// Tells it to execute the other program, and waits until it has.
    fn execute(&mut self, other: &Path) {
        self.0.stdin.take().unwrap().write_all(b"x").unwrap();
        let link = format!("/proc/{}/exe", self.pid());
        let is_other = || fs::read_link(&link).is_ok_and(|program| program == other);
        // The other program has its code in memory when it waits.
        let waits = || fs::read_to_string(format!("/proc/{}/syscall", self.pid()));
        while !is_other() || !waits().is_ok_and(|call| call.starts_with("34 ")) {
            yield_now();
        }
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.0.kill().unwrap();
        self.0.wait().unwrap();
    }
}

/// Starts a short trace of a process.
fn tracing(home: &Home, process: &Process) -> Started {
    let arguments = format!("trace --pid {} --duration 100ms", process.pid());
    Started::new(home.logtrace(&arguments), home.path())
}

/// Waits for the end of a trace whose process executed the other program. Fails if a byte of that is changed meanwhile,
/// or if the trace neither fails with one error nor has a sound result.
fn assert_untouched(process: &Process, mut trace: Started, moment: &str) {
    let mut changed = 0;
    while trace.child().try_wait().unwrap().is_none() {
        changed = changed.max(changed_code_bytes(process.pid()));
    }
    let ended = trace.ended();
    assert_eq!(
        changed, 0,
        "{moment}: bytes of the other program, {}",
        ended.stderr
    );
    match ended.code {
        Some(1) => ended.refused(1, &[]),
        _ => {
            let document = ended.measured();
            let charged: u64 = document.causes.iter().map(|cause| cause.total).sum();
            assert_eq!(charged, document.commits.unwrap().total, "{moment}");
        }
    }
}

#[test]
fn a_program_that_is_executed_at_any_look_of_a_trace_at_the_first_one_is_not_touched() {
    let _turn = beside_others();
    let programs = Programs::new();
    for look in 1..=6 {
        let home = Home::new();
        let mut process = programs.start();
        let watch = init(CreateFlags::NONBLOCK | CreateFlags::CLOEXEC).unwrap();
        add_watch(&watch, programs.path("mysqld"), WatchFlags::OPEN).unwrap();
        let mut buffer = [std::mem::MaybeUninit::uninit(); 4096];
        let mut events = Reader::new(&watch, &mut buffer);
        let mut trace = tracing(&home, &process);
        let mut looks = 0;
        while looks < look && trace.child().try_wait().unwrap().is_none() {
            match events.next() {
                Ok(_) => looks += 1,
                Err(_) => yield_now(),
            }
        }
        process.execute(&programs.path("other"));
        assert_untouched(&process, trace, &format!("look {look}"));
    }
}

#[test]
fn a_program_that_is_executed_at_any_moment_is_not_touched() {
    let _turn = beside_others();
    let programs = Programs::new();
    let time = time_to_attach(&programs);
    let seed = fastrand::u64(..);
    println!("seed {seed}, {time:?} to attach");
    let mut random = fastrand::Rng::with_seed(seed);
    for number in 0..MOMENTS {
        let home = Home::new();
        let mut process = programs.start();
        let trace = tracing(&home, &process);
        let moment = time.mul_f64(random.f64() * 1.2);
        sleep(moment);
        process.execute(&programs.path("other"));
        assert_untouched(
            &process,
            trace,
            &format!("moment {number}, {moment:?}, seed {seed}"),
        );
    }
}

/// Returns the time from the start of a trace until its probes are attached.
fn time_to_attach(programs: &Programs) -> Duration {
    let home = Home::new();
    let process = programs.start();
    let start = Instant::now();
    let mut trace = tracing(&home, &process);
    while changed_code_bytes(process.pid()) == 0 {
        assert!(trace.child().try_wait().unwrap().is_none(), "no probes come");
    }
    let time = start.elapsed();
    let ended = trace.ended();
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    time
}
