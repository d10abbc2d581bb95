//! Scheduling policy of a thread that competes with the server's threads.

use rustix::process::setpriority_process;
use rustix::thread::{Pid, gettid};

/// Thread of logtrace that can give way to the server's threads.
///
/// A leader that has to wait for a CPU holds up its whole group, and a thread that wakes on the CPU of another one of
/// normal policy may wait for the rest of that one's slice: milliseconds. A thread of policy `SCHED_IDLE` gives way
/// at once (kernel/sched/fair.c, `wakeup_preempt_fair`), and a CPU that runs nothing else is taken for idle. But
/// where the server leaves no CPU idle such a thread hardly ever runs, and cannot help itself: another one has to see
/// that it is needed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SchedPolicy {
    thread: Pid,
}

/// Nice value with a tenth of a server thread's weight (kernel/sched/core.c, `sched_prio_to_weight`), for urgent work.
/// The reader needs some 3 % of a CPU at the highest rates.
const NICE: i32 = 10;

impl SchedPolicy {
    /// Reduces the weight of the calling thread. If the kernel refuses, the thread keeps its normal weight.
    pub(crate) fn of_this_thread() -> Self {
        let _ = setpriority_process(None, NICE);
        let policy = Self { thread: gettid() };
        policy.run_beside_others();
        policy
    }

    /// Lets the thread run only on an idle CPU.
    pub(crate) fn run_when_idle(self) {
        self.set_policy(libc::SCHED_IDLE);
    }

    /// Lets the thread run beside the server's threads.
    pub(crate) fn run_beside_others(self) {
        self.set_policy(libc::SCHED_BATCH);
    }

    fn set_policy(self, policy: libc::c_int) {
        let thread = self.thread.as_raw_nonzero().get();
        let parameters = libc::sched_param { sched_priority: 0 };
        #[expect(unsafe_code, reason = "rustix has no call for it")]
        // SAFETY: the parameters live until the call returns; a thread that is gone is an error.
        let _ = unsafe { libc::sched_setscheduler(thread, policy, &raw const parameters) };
    }
}
