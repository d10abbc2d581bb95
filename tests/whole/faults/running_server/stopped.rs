//! A program that gets a signal at one of its system calls.

use std::fs::{self, File};
use std::os::unix::fs::FileExt;
use std::process::{Command, Stdio};

use nix::errno::Errno;
use nix::libc;
use nix::sys::ptrace::{self, Options};
use nix::sys::signal::{Signal, kill};
use nix::sys::wait::{WaitStatus, waitpid};
use nix::unistd::Pid;

/// System calls that change files so that it matters when the program ends: those of a note.
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

/// What came of a program.
#[derive(Debug)]
pub(super) struct End {
    /// Call at which it got the signal: before it was made, or after. `None` if there were fewer.
    pub(super) at: Option<String>,
    /// Exit code; `None` after a SIGKILL.
    pub(super) code: Option<i32>,
}

/// Runs a command and sends it a signal when its main thread enters or leaves the call of this number (from 1), among the
/// calls on files and those that send or write one of `words`. A thread does nothing after a SIGKILL, not even the call.
#[expect(clippy::zombie_processes, reason = "waitpid waits for it")]
pub(super) fn signalled_at(number: u32, signal: Signal, command: &mut Command, words: &[&str]) -> End {
    let child = command
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let pid = Pid::from_raw(i32::try_from(child.id()).unwrap());
    ptrace::seize(pid, Options::PTRACE_O_TRACESYSGOOD | Options::PTRACE_O_EXITKILL).unwrap();
    ptrace::interrupt(pid).unwrap();
    let (mut seen, mut is_entry, mut counted) = (0, true, None);
    let mut at = None;
    loop {
        let passed = match waitpid(pid, None).unwrap() {
            WaitStatus::Exited(_, code) => return End { at, code: Some(code) },
            WaitStatus::Signaled(..) => return End { at, code: None },
            WaitStatus::PtraceSyscall(_) => {
                if is_entry {
                    counted = call_of(pid, words);
                }
                seen += u32::from(counted.is_some());
                if let (Some(call), true, None) = (&counted, seen == number, &at) {
                    at = Some(format!("{} {call}", if is_entry { "before" } else { "after" }));
                    kill(pid, signal).unwrap();
                }
                is_entry = !is_entry;
                None
            }
            WaitStatus::Stopped(_, other) => Some(other),
            _ => None,
        };
        match ptrace::syscall(pid, passed) {
            // It is being killed.
            Ok(()) | Err(Errno::ESRCH) => {}
            Err(error) => panic!("{error}"),
        }
    }
}

/// The call at whose entry a thread is stopped, if it counts (proc(5), `/proc/PID/syscall`).
fn call_of(pid: Pid, words: &[&str]) -> Option<String> {
    let text = fs::read_to_string(format!("/proc/{pid}/syscall")).unwrap();
    let mut fields = text.split_whitespace();
    let call: libc::c_long = fields.next()?.parse().ok()?;
    if OF_FILES.contains(&call) {
        return Some(format!("call {call}"));
    }
    if !OF_BUFFERS.contains(&call) {
        return None;
    }
    let mut arguments = fields.map(|word| u64::from_str_radix(word.trim_start_matches("0x"), 16).unwrap());
    let (address, length) = (arguments.nth(1)?, arguments.next()?);
    let mut buffer = vec![0; MOST.min(usize::try_from(length).unwrap())];
    let memory = File::open(format!("/proc/{pid}/mem")).unwrap();
    memory.read_exact_at(&mut buffer, address).ok()?;
    let sent = String::from_utf8_lossy(&buffer).into_owned();
    let counts = words.iter().any(|word| sent.contains(word));
    counts.then(|| sent.chars().filter(|c| !c.is_control()).take(80).collect())
}
