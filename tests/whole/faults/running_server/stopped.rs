//! A program that gets a signal at one of its system calls.

use std::collections::HashMap;
use std::fs::{self, File};
use std::os::unix::fs::FileExt;
use std::process::{Command, Stdio};

use nix::errno::Errno;
use nix::libc;
use nix::sys::ptrace::{self, Options};
use nix::sys::signal::{Signal, kill};
use nix::sys::wait::{WaitPidFlag, WaitStatus, waitpid};
use nix::unistd::Pid;

/// System calls that change files so that it matters when the program ends: those of a note, which the main thread writes.
const OF_FILES: [libc::c_long; 7] = [
    libc::SYS_fsync,
    libc::SYS_fdatasync,
    libc::SYS_ftruncate,
    libc::SYS_renameat,
    libc::SYS_renameat2,
    libc::SYS_linkat,
    REMOVE,
];

/// The call of `std::fs::remove_file`.
#[cfg(target_arch = "x86_64")]
const REMOVE: libc::c_long = libc::SYS_unlink;
#[cfg(not(target_arch = "x86_64"))]
const REMOVE: libc::c_long = libc::SYS_unlinkat;

/// System calls that send or write a buffer.
const OF_BUFFERS: [libc::c_long; 2] = [libc::SYS_write, libc::SYS_sendto];

/// Largest part of a buffer that is looked at.
const MOST: usize = 4096;

/// Calls that count.
pub(super) struct Calls<'a> {
    /// What they send or write, on any thread.
    pub(super) words: &'a [&'a str],
    /// Whether the main thread's calls on files count, too.
    pub(super) are_of_files: bool,
}

/// What came of a program.
#[derive(Debug)]
pub(super) struct End {
    /// Call at which it got the signal: before it was made, or after. `None` if there were fewer.
    pub(super) at: Option<String>,
    /// Exit code; `None` after a SIGKILL.
    pub(super) code: Option<i32>,
}

/// Runs a command and sends it a signal when a thread of it enters or leaves the call of this number (from 1). A thread does nothing after a SIGKILL, not even the call.
#[expect(clippy::zombie_processes, reason = "waitpid waits for it")]
pub(super) fn signalled_at(number: u32, signal: Signal, command: &mut Command, calls: &Calls<'_>) -> End {
    let child = command
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let program = Pid::from_raw(i32::try_from(child.id()).unwrap());
    let options = Options::PTRACE_O_TRACESYSGOOD | Options::PTRACE_O_TRACECLONE | Options::PTRACE_O_EXITKILL;
    ptrace::seize(program, options).unwrap();
    ptrace::interrupt(program).unwrap();
    // The call that each thread is in, if it is in one.
    let mut entered: HashMap<Pid, Option<String>> = HashMap::new();
    let (mut seen, mut at) = (0, None);
    // Threads of this thread alone: other tests have children of their own.
    let of_this_thread = WaitPidFlag::__WALL | WaitPidFlag::__WNOTHREAD;
    loop {
        let (thread, passed) = match waitpid(None, Some(of_this_thread)).unwrap() {
            WaitStatus::Exited(ended, code) if ended == program => return End { at, code: Some(code) },
            WaitStatus::Signaled(ended, ..) if ended == program => return End { at, code: None },
            WaitStatus::PtraceSyscall(thread) => {
                let left = entered.remove(&thread);
                let counted = left
                    .clone()
                    .unwrap_or_else(|| calls.find(thread, thread == program));
                seen += u32::from(counted.is_some());
                if let (Some(call), true, None) = (&counted, seen == number, &at) {
                    at = Some(format!(
                        "{} {call}",
                        if left.is_none() { "before" } else { "after" }
                    ));
                    kill(program, signal).unwrap();
                }
                if left.is_none() {
                    entered.insert(thread, counted);
                }
                (thread, None)
            }
            WaitStatus::Stopped(thread, other) => (thread, Some(other)),
            other => match other.pid() {
                Some(thread) => (thread, None),
                None => continue,
            },
        };
        match ptrace::syscall(thread, passed) {
            // It has ended, or is being killed.
            Ok(()) | Err(Errno::ESRCH) => {}
            Err(error) => panic!("{error}"),
        }
    }
}

impl Calls<'_> {
    /// The call at whose entry a thread is stopped, if it counts (proc(5), `/proc/PID/syscall`).
    fn find(&self, pid: Pid, is_main: bool) -> Option<String> {
        // A thread that is being killed is gone, or runs.
        let text = fs::read_to_string(format!("/proc/{pid}/syscall")).ok()?;
        let mut fields = text.split_whitespace();
        let call: libc::c_long = fields.next()?.parse().ok()?;
        if OF_FILES.contains(&call) {
            return (is_main && self.are_of_files).then(|| format!("call {call}"));
        }
        if !OF_BUFFERS.contains(&call) {
            return None;
        }
        let mut arguments =
            fields.map(|word| u64::from_str_radix(word.trim_start_matches("0x"), 16).unwrap());
        let (address, length) = (arguments.nth(1)?, arguments.next()?);
        let mut buffer = vec![0; MOST.min(usize::try_from(length).unwrap())];
        let memory = File::open(format!("/proc/{pid}/mem")).ok()?;
        memory.read_exact_at(&mut buffer, address).ok()?;
        let sent = String::from_utf8_lossy(&buffer).into_owned();
        let counts = self.words.iter().any(|word| sent.contains(word));
        counts.then(|| sent.chars().filter(|c| !c.is_control()).take(80).collect())
    }
}
