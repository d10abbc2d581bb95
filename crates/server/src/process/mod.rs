//! Process that logtrace starts: unprivileged, and never left behind.

pub(crate) mod brief_run;
pub(crate) mod clean_command;
pub(crate) mod control_group;
pub(crate) mod cpus;
pub(crate) mod error_log;
pub(crate) mod pidfd;

use std::ffi::OsString;
use std::fs::File;
use std::io;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::time::Duration;

use anyhow::Context;
use rustix::process::{
    Pid, Resource, Rlimit, Signal, getppid, kill_process_group, set_parent_process_death_signal, setrlimit,
};
use rustix::thread::{CpuSet, sched_setaffinity, set_no_new_privs};

use crate::process::clean_command::{RunAs, clean_command};
use crate::process::control_group::ControlGroup;
use crate::process::cpus::Cpus;
use crate::process::error_log::ServerLog;
use crate::process::pidfd::{ProcessEnd, ProcessWatch};

/// Limit of core dumps.
const NO_CORE: Rlimit = Rlimit {
    current: Some(0),
    maximum: Some(0),
};

/// Program to start.
#[derive(Debug)]
pub(crate) struct Launch<'a> {
    pub(crate) program: &'a Path,
    pub(crate) arguments: &'a [OsString],
    /// User of the process, if it is another one than logtrace's.
    pub(crate) run_as: Option<RunAs>,
    /// Working directory. The user may have no access to logtrace's own.
    pub(crate) directory: &'a Path,
    /// Group that the process starts in, and that is killed with it.
    pub(crate) group: Option<Arc<ControlGroup>>,
    /// CPUs of the process, if they are not those of logtrace.
    pub(crate) cpus: Option<&'a Cpus>,
    pub(crate) log: &'a ServerLog,
}

/// Started process. Dropping it kills the process and waits until it has ended.
///
/// The kernel also kills the process when the thread that started it ends for any reason (`PR_SET_PDEATHSIG`,
/// prctl(2)). So start it from a thread that lives long enough.
#[derive(Debug)]
pub(crate) struct ServerProcess {
    child: Child,
    group: Option<Arc<ControlGroup>>,
    pub(crate) watch: ProcessWatch,
}

impl ServerProcess {
    /// Starts a process.
    pub(crate) fn spawn(launch: &Launch<'_>) -> anyhow::Result<Self> {
        Self::start(launch).with_context(|| format!("cannot start {}", launch.program.display()))
    }

    fn start(launch: &Launch<'_>) -> io::Result<Self> {
        // In a group of its own: an interrupt from the terminal is for logtrace, which then stops the server in order.
        let mut command = clean_command(launch.program, launch.run_as);
        command
            .args(launch.arguments)
            .current_dir(launch.directory)
            .stdin(Stdio::null())
            .stdout(launch.log.writer()?)
            .stderr(launch.log.writer()?);
        confine(&mut command);
        if let Some(cpus) = launch.cpus {
            run_on(&mut command, cpus.set());
        }
        if let Some(group) = &launch.group {
            start_in(&mut command, group.entrance()?);
        }
        let mut child = command.spawn()?;
        match ProcessWatch::new(child.id()) {
            Ok(watch) => Ok(Self {
                child,
                group: launch.group.clone(),
                watch,
            }),
            Err(error) => {
                kill_group(&mut child);
                Err(error)
            }
        }
    }

    pub(crate) fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Sends SIGTERM, and kills the process if it has not ended after `patience`.
    pub(crate) async fn stop(self, patience: Duration) -> io::Result<ProcessEnd> {
        if let Some(exit) = self.watch.exit() {
            return Ok(exit);
        }
        self.watch.signal(Signal::TERM)?;
        if let Ok(exit) = tokio::time::timeout(patience, self.watch.ended()).await {
            return Ok(exit);
        }
        self.watch.signal(Signal::KILL)?;
        Ok(self.watch.ended().await)
    }
}

impl Drop for ServerProcess {
    fn drop(&mut self) {
        kill_group(&mut self.child);
        if let Some(group) = &self.group {
            group.kill();
        }
    }
}

/// Kills the process and its children, also those that outlived it, and waits for it. Nobody has waited for it before,
/// so the number of its group is still its own.
pub(crate) fn kill_group(child: &mut Child) {
    if let Some(group) = i32::try_from(child.id()).ok().and_then(Pid::from_raw) {
        // Fails only when all are gone, which is what is wanted.
        let _ = kill_process_group(group, Signal::KILL);
    }
    let _ = child.wait();
}

/// Makes the kernel kill the process when the thread that starts it ends, give it no rights beyond its user's by programs
/// with set-user-id (`PR_SET_NO_NEW_PRIVS`), and write no core dumps, which hold the memory of a server.
pub(crate) fn confine(command: &mut Command) {
    let parent = i32::try_from(std::process::id()).ok().and_then(Pid::from_raw);
    let in_child = move || {
        set_parent_process_death_signal(Some(Signal::KILL))?;
        set_no_new_privs(true)?;
        setrlimit(Resource::Core, NO_CORE)?;
        // The parent may have died before the line above.
        if getppid() == parent {
            Ok(())
        } else {
            Err(rustix::io::Errno::SRCH.into())
        }
    };
    #[expect(unsafe_code, reason = "code between fork and exec has no safe form")]
    // SAFETY: the closure makes four system calls and allocates nothing. The standard library runs it after the
    // change of user, which would clear the signal again.
    unsafe {
        command.pre_exec(in_child);
    }
}

/// Makes the process run on these CPUs alone.
fn run_on(command: &mut Command, cpus: CpuSet) {
    let in_child = move || Ok(sched_setaffinity(None, &cpus)?);
    #[expect(unsafe_code, reason = "code between fork and exec has no safe form")]
    // SAFETY: the closure makes one system call and allocates nothing.
    unsafe {
        command.pre_exec(in_child);
    }
}

/// Makes the process enter a control group before its program starts. If it cannot, it stays in logtrace's own.
///
/// A move from outside would miss the processes that it started before. `CLONE_INTO_CGROUP` would do as well, but the
/// standard library does not offer it.
fn start_in(command: &mut Command, entrance: File) {
    let in_child = move || {
        // The process that writes 0 moves itself.
        let _ = rustix::io::write(&entrance, b"0");
        Ok(())
    };
    #[expect(unsafe_code, reason = "code between fork and exec has no safe form")]
    // SAFETY: the closure makes one system call and allocates nothing.
    unsafe {
        command.pre_exec(in_child);
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use rustix::process::kill_process;

    use super::*;
    use crate::process::control_group::created;

    /// Returns whether a process runs: one that nobody waited for has ended all the same.
    fn runs(pid: &str) -> bool {
        let state = fs::read_to_string(format!("/proc/{pid}/status"));
        state.is_ok_and(|text| !text.contains("State:\tZ"))
    }

    #[tokio::test]
    async fn children_that_outlive_a_process_are_killed() {
        let directory = tempfile::tempdir().unwrap();
        let log = ServerLog::open(&directory.path().join("log")).unwrap();
        let process = ServerProcess::spawn(&Launch {
            program: Path::new("/bin/sh"),
            arguments: &["-c".into(), "sleep 1000 & echo $!".into()],
            run_as: None,
            directory: directory.path(),
            group: None,
            cpus: None,
            log: &log,
        })
        .unwrap();
        assert_eq!(process.watch.ended().await, ProcessEnd::Code(0));
        let child = log.text().trim().to_owned();
        assert!(runs(&child), "{child}");
        drop(process);
        let start = std::time::Instant::now();
        while runs(&child) {
            assert!(start.elapsed() < Duration::from_secs(30), "{child} still runs");
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    }

    #[tokio::test]
    async fn a_child_that_left_the_session_is_killed_with_the_control_group() {
        let directory = tempfile::tempdir().unwrap();
        let Some(group) = created(&directory.path().join("instance-left")) else {
            return;
        };
        for group in [None, Some(Arc::new(group))] {
            let log = ServerLog::open(&directory.path().join("log")).unwrap();
            let is_grouped = group.is_some();
            let process = ServerProcess::spawn(&Launch {
                program: Path::new("/bin/sh"),
                arguments: &[
                    "-c".into(),
                    "setsid sh -c 'echo $$; exec sleep 1000' & wait".into(),
                ],
                run_as: is_grouped.then_some(RunAs {
                    uid: 65_534,
                    gid: 65_534,
                }),
                directory: directory.path(),
                group,
                cpus: None,
                log: &log,
            })
            .unwrap();
            while !log.text().ends_with('\n') {
                tokio::time::sleep(Duration::from_millis(10)).await;
            }
            let child = log.text().trim().to_owned();
            drop(process);
            assert_eq!(runs(&child), !is_grouped, "{child}");
            if !is_grouped {
                kill_process(Pid::from_raw(child.parse().unwrap()).unwrap(), Signal::KILL).unwrap();
            }
        }
    }
}
