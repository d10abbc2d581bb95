//! The reader's place in the scheduler.

use rustix::process::setpriority_process;

/// A tenth of a server thread's weight (kernel/sched/core.c, `sched_prio_to_weight`): enough for the reader, which
/// needs some 3 % of a CPU at the highest rates.
const NICE: i32 = 10;

/// Keeps the calling thread from taking the CPU from the server's threads when it wakes up: a leader that is
/// interrupted holds up its whole group. What the thread has to read can wait; the ring is large.
///
/// Where the kernel refuses, the reader is as any other thread.
pub(crate) fn stand_back() {
    let _ = setpriority_process(None, NICE);
    let parameters = libc::sched_param { sched_priority: 0 };
    #[expect(unsafe_code, reason = "rustix has no call for it")]
    // SAFETY: thread 0 is the calling one, and the parameters live until the call returns.
    unsafe {
        libc::sched_setscheduler(0, libc::SCHED_BATCH, &raw const parameters);
    }
}
