//! Names of waits from the server's own functions.

use logtrace_events::{OffCpu, Tid};

use crate::causes::cause::Wait;
use crate::causes::server_rules::ServerReason;
use crate::timeline::frames::Frames;
use crate::timeline::thread::Timeline;
use crate::timeline::threads::Timelines;

impl Timelines {
    /// Returns the wait of `off`, for which the system call alone gives `wait`, and the frames below it. No thread of the
    /// server ended it.
    pub(crate) fn named_wait(&self, timeline: &Timeline, off: &OffCpu, wait: Wait) -> (Wait, Option<Frames>) {
        if off.stack.is_some() {
            // A page fault, a limit on the way back to user space, or a sleep that no signal ends.
            let frames = off.stack.map(Frames::Kernel);
            return match (self.names.kernel_wait(off.stack), off.syscall) {
                (Wait::Unclassified, Some(_)) => (wait, frames),
                (named, _) => (named, frames),
            };
        }
        let wait = timeline.specific_wait(wait);
        if !matches!(wait, Wait::Timer | Wait::TimedWait | Wait::Unexplained) {
            return (wait, None);
        }
        match self.server_reason(timeline, off) {
            Some((&ServerReason::Known(wait), frames)) => (wait, Some(frames)),
            Some((ServerReason::Function(_), frames)) => match wait {
                Wait::TimedWait => (Wait::ServerFunction, Some(frames)),
                wait => (wait, Some(frames)),
            },
            None => (wait, None),
        }
    }

    /// Returns the lock between sessions that a thread waited for in `off` until thread `waker` released it, and the frames
    /// below it.
    pub(crate) fn lock_wait(&self, timeline: &Timeline, off: &OffCpu, waker: Tid) -> Option<(Wait, Frames)> {
        let (reason, frames) = self.server_reason(timeline, off)?;
        let wait = match *reason {
            ServerReason::Known(wait) if wait.is_lock() => wait,
            // Sessions release row locks; free pages and the checkpoint are the page cleaner's.
            ServerReason::Known(Wait::InnodbWait) if self.serves_connection(waker) => Wait::RowLock,
            _ => return None,
        };
        Some((wait, frames))
    }

    fn server_reason(&self, timeline: &Timeline, off: &OffCpu) -> Option<(&ServerReason, Frames)> {
        let stack = timeline.server_wait(off)?.stack?;
        Some((self.names.server_reason(stack)?, Frames::Server(stack)))
    }
}
