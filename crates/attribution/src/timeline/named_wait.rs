//! Names of waits from the server's own functions.

use logtrace_events::{OffCpu, Tid};

use crate::causes::Wait;
use crate::causes::server_rules::{ServerReason, WakerRole};
use crate::causes::wakeup::{Awaited, awaited};
use crate::timeline::Timelines;
use crate::timeline::frames::Frames;
use crate::timeline::thread::Timeline;

/// Wait that a thread of the server ended, by the function in which the thread waited.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FunctionWait {
    pub(crate) wait: Wait,
    /// Part of the thread that ended it.
    pub(crate) waker: WakerRole,
    pub(crate) frames: Frames,
}

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
            Some((ServerReason::Known(known), frames)) => (known.wait, Some(frames)),
            Some((ServerReason::Function(_), frames)) => match wait {
                Wait::TimedWait => (Wait::ServerFunction, Some(frames)),
                wait => (wait, Some(frames)),
            },
            None => (wait, None),
        }
    }

    /// Returns the wait of `off` that thread `waker` ended, if the function in which the thread waited is known.
    pub(crate) fn function_wait(
        &self,
        timeline: &Timeline,
        off: &OffCpu,
        waker: Tid,
    ) -> Option<FunctionWait> {
        let (reason, frames) = self.server_reason(timeline, off)?;
        let receives_acks = self
            .thread(waker)
            .is_some_and(|waker| waker.receives == Some(Wait::SemisyncAck));
        let (wait, waker) = match *reason {
            // Sessions release row locks; free pages and the checkpoint are the page cleaner's.
            ServerReason::Known(known) if known.wait == Wait::InnodbWait && self.serves_connection(waker) => {
                (Wait::RowLock, known.waker)
            }
            // It waited for the same.
            ServerReason::Known(known) if receives_acks => (known.wait, WakerRole::Worked),
            ServerReason::Known(known) => (known.wait, known.waker),
            // Nothing is known of the waker.
            ServerReason::Function(_) => (Wait::ServerFunction, WakerRole::Worked),
        };
        Some(FunctionWait { wait, waker, frames })
    }

    /// Returns what a thread waited for in `off`, whoever ended the wait, or `None` if only the thread that ended it is known.
    pub(crate) fn reason(&self, timeline: &Timeline, off: &OffCpu) -> Option<Wait> {
        match awaited(off, self.server_tgid) {
            Awaited::Itself(wait) => Some(self.named_wait(timeline, off, wait).0),
            Awaited::Thread(waker) => Some(self.function_wait(timeline, off, waker.tid)?.wait),
        }
    }

    /// Returns the meaning of the server's stack in `off`, if it was read.
    pub(crate) fn server_reason(&self, timeline: &Timeline, off: &OffCpu) -> Option<(&ServerReason, Frames)> {
        let stack = timeline.server_wait(off)?.stack?;
        Some((self.names.server_reason(stack)?, Frames::Server(stack)))
    }
}
