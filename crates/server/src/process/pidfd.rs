//! Watch on a process by a file descriptor, which never refers to another process later.

use std::fmt;
use std::io;
use std::os::fd::{AsFd, OwnedFd};

use logtrace_common::process::ProcessHandle;
use rustix::process::{Pid, PidfdFlags, WaitId, WaitIdOptions, pidfd_open, waitid};
use tokio::io::Interest;
use tokio::io::unix::AsyncFd;

/// End of a process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProcessEnd {
    /// Exit with this code.
    Code(i32),
    /// Death by this signal.
    Signal(i32),
    /// Unknown end: only the parent of the process can read its exit status.
    Unknown,
}

impl fmt::Display for ProcessEnd {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Code(code) => write!(f, "exit code {code}"),
            Self::Signal(signal) => write!(f, "signal {signal}"),
            Self::Unknown => f.write_str("unknown exit code"),
        }
    }
}

/// Process of this machine that any process may have started.
#[derive(Debug)]
pub(crate) struct ProcessWatch {
    /// File descriptor of the process (pidfd_open(2)), readable once the process has ended.
    pidfd: AsyncFd<OwnedFd>,
}

impl ProcessWatch {
    /// Starts to watch the process. Needs a tokio runtime with I/O enabled.
    pub(crate) fn new(pid: u32) -> io::Result<Self> {
        let pid = i32::try_from(pid).ok().and_then(Pid::from_raw);
        let pid = pid.ok_or_else(|| io::Error::from(io::ErrorKind::InvalidInput))?;
        Self::by(pidfd_open(pid, PidfdFlags::empty())?)
    }

    /// Starts to watch a process that is held.
    pub(crate) fn of(process: &ProcessHandle) -> io::Result<Self> {
        Self::by(process.pidfd().try_clone_to_owned()?)
    }

    fn by(pidfd: OwnedFd) -> io::Result<Self> {
        #[expect(
            unsafe_code,
            reason = "tokio registers descriptors by an unsafe function alone"
        )]
        // SAFETY: an `OwnedFd` stays open, and the same, as long as the `AsyncFd` owns it.
        let pidfd = unsafe { AsyncFd::register_with_interest(pidfd, Interest::READABLE) }?;
        Ok(Self { pidfd })
    }

    /// Waits until the process has ended. Any number of tasks may wait. The parent of the process still has to reap it.
    pub(crate) async fn ended(&self) -> ProcessEnd {
        loop {
            let readable = self.pidfd.readable().await;
            if let Some(exit) = self.exit() {
                return exit;
            }
            match readable {
                // The descriptor is no longer watched, so the end is unknown.
                Err(_) => return ProcessEnd::Unknown,
                Ok(mut guard) => guard.clear_ready(),
            }
        }
    }

    /// Returns the end of the process, or `None` while it runs.
    pub(crate) fn exit(&self) -> Option<ProcessEnd> {
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
        match waitid(WaitId::PidFd(self.pidfd.get_ref().as_fd()), options) {
            Ok(None) => None,
            Ok(Some(status)) => Some(
                status
                    .exit_status()
                    .map(ProcessEnd::Code)
                    .or_else(|| status.terminating_signal().map(ProcessEnd::Signal))
                    .unwrap_or(ProcessEnd::Unknown),
            ),
            // Not a child of ours: whether it lives is all that can be known.
            Err(_) => (!self.lives()).then_some(ProcessEnd::Unknown),
        }
    }

    /// Sends a signal. Succeeds if the process has ended already.
    pub(crate) fn signal(&self, signal: rustix::process::Signal) -> io::Result<()> {
        match rustix::process::pidfd_send_signal(self.pidfd.get_ref(), signal) {
            Err(rustix::io::Errno::SRCH) | Ok(()) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }

    fn lives(&self) -> bool {
        use rustix::event::{PollFd, PollFlags, Timespec, poll};
        let mut fds = [PollFd::new(self.pidfd.get_ref(), PollFlags::IN)];
        let now = Timespec {
            tv_sec: 0,
            tv_nsec: 0,
        };
        poll(&mut fds, Some(&now)).is_ok_and(|ready| ready == 0)
    }
}

#[cfg(test)]
mod tests {
    use std::process::{Command, Stdio};

    use rustix::process::Signal;

    use super::*;

    #[tokio::test]
    async fn the_end_of_a_child_is_told_as_often_as_asked() {
        let mut child = Command::new("sleep").arg("1000").spawn().unwrap();
        let watch = ProcessWatch::new(child.id()).unwrap();
        assert_eq!(watch.exit(), None);
        watch.signal(Signal::TERM).unwrap();
        assert_eq!(watch.ended().await, ProcessEnd::Signal(15));
        assert_eq!(watch.ended().await, ProcessEnd::Signal(15));
        assert!(!child.wait().unwrap().success());
        // Reaped: gone, but no longer to be asked.
        assert_eq!(watch.exit(), Some(ProcessEnd::Unknown));
        watch.signal(Signal::TERM).unwrap();
    }

    #[tokio::test]
    async fn the_end_of_a_process_of_somebody_else_is_seen() {
        let shell = Command::new("sh")
            .args(["-c", "sleep 1000 >/dev/null 2>&1 & echo $!"])
            .stdout(Stdio::piped())
            .output()
            .unwrap();
        let pid = String::from_utf8(shell.stdout).unwrap().trim().parse().unwrap();
        let watch = ProcessWatch::new(pid).unwrap();
        assert_eq!(watch.exit(), None);
        watch.signal(Signal::KILL).unwrap();
        assert_eq!(watch.ended().await, ProcessEnd::Unknown);
    }

    #[tokio::test]
    async fn what_is_no_process_is_not_watched() {
        assert!(ProcessWatch::new(0).is_err());
        assert!(ProcessWatch::new(u32::MAX).is_err());
    }
}
