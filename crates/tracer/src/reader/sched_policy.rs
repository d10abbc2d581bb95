//! Scheduling policy of a thread that competes with the server's threads.

use std::thread;

use rustix::process::{Resource, Rlimit, getpriority_process, getrlimit, setpriority_process, setrlimit};
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
    /// Whether the kernel lets the thread come back from `SCHED_IDLE`. If not, it never takes that policy.
    comes_back: bool,
}

/// Distance of the nice value from the process's own: a tenth of its weight (kernel/sched/core.c, `sched_prio_to_weight`),
/// for urgent work. The reader needs some 3 % of a CPU at the highest rates. It is a distance because a private server
/// inherits the nice value of the process.
const NICER: i32 = 10;
/// Largest nice value (include/linux/sched/prio.h, `MAX_NICE`).
const MOST_NICE: i32 = 19;

/// Returns the nice value of the reader. The calling thread has the process's.
fn nice() -> i32 {
    (getpriority_process(None).unwrap_or(0) + NICER).min(MOST_NICE)
}

impl SchedPolicy {
    /// Reduces the weight of the calling thread. If the kernel refuses, the thread keeps its normal weight.
    pub(crate) fn of_this_thread() -> Self {
        let _ = setpriority_process(None, nice());
        let policy = Self {
            thread: gettid(),
            comes_back: comes_back(),
        };
        policy.run_beside_others();
        policy
    }

    /// Lets the thread run only on an idle CPU.
    pub(crate) fn run_when_idle(self) {
        if self.comes_back {
            self.set_policy(libc::SCHED_IDLE);
        }
    }

    /// Lets the thread run beside the server's threads.
    pub(crate) fn run_beside_others(self) {
        self.set_policy(libc::SCHED_BATCH);
    }

    /// Returns whether the kernel accepts the policy.
    fn set_policy(self, policy: libc::c_int) -> bool {
        let thread = self.thread.as_raw_nonzero().get();
        // The kernel's `struct sched_param` is one number (include/uapi/linux/sched/types.h), and musl's is larger. musl's function
        // of this name does nothing but fail.
        let priority: libc::c_int = 0;
        #[expect(unsafe_code, reason = "rustix has no call for it")]
        // SAFETY: the parameter lives until the call returns; a thread that is gone is an error.
        let result =
            unsafe { libc::syscall(libc::SYS_sched_setscheduler, thread, policy, &raw const priority) };
        result == 0
    }
}

/// Lets the threads of this process come back from `SCHED_IDLE` after it has given up its rights: without `CAP_SYS_NICE`
/// the kernel wants this limit to cover their nice value (kernel/sched/syscalls.c, `user_check_sched_setscheduler()`).
/// Returns whether the limit does: only `CAP_SYS_RESOURCE` raises it.
pub(crate) fn allow_coming_back() -> bool {
    let needed: u64 = (20 - nice()).unsigned_abs().into();
    let covers = |limit: Option<u64>| limit.is_none_or(|limit| limit >= needed);
    let Rlimit { current, maximum } = getrlimit(Resource::Nice);
    let raised = Rlimit {
        current: Some(needed),
        maximum: if covers(maximum) { maximum } else { Some(needed) },
    };
    covers(current) || setrlimit(Resource::Nice, raised).is_ok()
}

/// Tries on a thread of its own, which has the nice value of the calling one, whether the way back from `SCHED_IDLE` is
/// allowed.
fn comes_back() -> bool {
    let tried = thread::Builder::new().spawn(|| {
        let policy = SchedPolicy {
            thread: gettid(),
            comes_back: true,
        };
        policy.set_policy(libc::SCHED_IDLE) && policy.set_policy(libc::SCHED_BATCH)
    });
    tried.is_ok_and(|thread| thread.join().unwrap_or(false))
}

#[cfg(test)]
mod needs_root {
    use rustix::thread::CapabilitySet;

    use super::*;
    use crate::rights::{give_up_all_but, give_up_rights};

    /// Policy of the calling thread.
    fn policy() -> i64 {
        #[expect(unsafe_code, reason = "rustix has no call for it")]
        // SAFETY: the call takes a number and touches no memory.
        unsafe {
            libc::syscall(libc::SYS_sched_getscheduler, 0)
        }
    }

    #[test]
    fn a_thread_that_could_not_come_back_does_not_stand_back() {
        let limit = getrlimit(Resource::Nice);
        let none = Rlimit {
            current: Some(0),
            ..limit
        };
        setrlimit(Resource::Nice, none).unwrap();
        let seen = thread::spawn(|| {
            give_up_rights().unwrap();
            let policy_of_thread = SchedPolicy::of_this_thread();
            policy_of_thread.run_when_idle();
            policy()
        });
        assert_eq!(seen.join().unwrap(), i64::from(libc::SCHED_BATCH));
        setrlimit(Resource::Nice, limit).unwrap();
        let seen = thread::spawn(|| {
            let kept = match allow_coming_back() {
                true => CapabilitySet::empty(),
                false => CapabilitySet::SYS_NICE,
            };
            give_up_all_but(kept).unwrap();
            let policy_of_thread = SchedPolicy::of_this_thread();
            policy_of_thread.run_when_idle();
            let idle = policy();
            policy_of_thread.run_beside_others();
            (idle, policy())
        });
        assert_eq!(
            seen.join().unwrap(),
            (libc::SCHED_IDLE.into(), libc::SCHED_BATCH.into())
        );
    }
}
