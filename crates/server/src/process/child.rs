//! Process that logtrace starts: unprivileged, and never left behind.

use std::ffi::OsString;
use std::io;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use anyhow::Context;
use rustix::process::{Pid, Signal, getppid, kill_process_group, set_parent_process_death_signal};

use crate::install::os_user::ServerUser;
use crate::process::clean_command::clean_command;
use crate::process::error_log::ServerLog;
use crate::process::pidfd::{Exit, ProcessWatch};

/// Program to start.
#[derive(Debug)]
pub(crate) struct Launch<'a> {
    pub(crate) program: &'a Path,
    pub(crate) arguments: &'a [OsString],
    pub(crate) user: &'a ServerUser,
    /// Working directory. The user may have no access to logtrace's own.
    pub(crate) directory: &'a Path,
    pub(crate) log: &'a ServerLog,
}

/// Started process. Dropping it kills the process and waits until it has ended.
///
/// The kernel also kills the process when the thread that started it ends for any reason (`PR_SET_PDEATHSIG`,
/// prctl(2)). So start it from a thread that lives long enough.
#[derive(Debug)]
pub(crate) struct ServerProcess {
    child: Child,
    pub(crate) watch: ProcessWatch,
}

impl ServerProcess {
    /// Starts a process.
    pub(crate) fn spawn(launch: &Launch<'_>) -> anyhow::Result<Self> {
        Self::start(launch).with_context(|| format!("cannot start {}", launch.program.display()))
    }

    fn start(launch: &Launch<'_>) -> io::Result<Self> {
        // In a group of its own: an interrupt from the terminal is for logtrace, which then stops the server in order.
        let mut command = clean_command(launch.program, launch.user);
        command
            .args(launch.arguments)
            .current_dir(launch.directory)
            .stdin(Stdio::null())
            .stdout(launch.log.writer()?)
            .stderr(launch.log.writer()?);
        die_with_parent(&mut command);
        let mut child = command.spawn()?;
        match ProcessWatch::new(child.id()) {
            Ok(watch) => Ok(Self { child, watch }),
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
    pub(crate) async fn stop(self, patience: Duration) -> io::Result<Exit> {
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
    }
}

/// Kills the process and its children, and waits for it. Does nothing if the process was waited for before.
pub(crate) fn kill_group(child: &mut Child) {
    let group = i32::try_from(child.id()).ok().and_then(Pid::from_raw);
    if let (Some(group), Ok(None)) = (group, child.try_wait()) {
        // Fails only when the process is gone, which is what is wanted.
        let _ = kill_process_group(group, Signal::KILL);
    }
    let _ = child.wait();
}

/// Makes the kernel kill the process when the thread that starts it ends.
pub(crate) fn die_with_parent(command: &mut Command) {
    let parent = i32::try_from(std::process::id()).ok().and_then(Pid::from_raw);
    let in_child = move || {
        set_parent_process_death_signal(Some(Signal::KILL))?;
        // The parent may have died before the line above.
        if getppid() == parent {
            Ok(())
        } else {
            Err(rustix::io::Errno::SRCH.into())
        }
    };
    #[expect(unsafe_code, reason = "code between fork and exec has no safe form")]
    // SAFETY: the closure makes two system calls and allocates nothing. The standard library runs it after the
    // change of user, which would clear the signal again.
    unsafe {
        command.pre_exec(in_child);
    }
}
