//! Priority of a test that measures: it goes before other work of the machine, as far as the kernel allows.

use std::fs;

use rustix::process::{getpriority_process, setpriority_process};

/// Nice value of tests that run alone: 87 times the weight of others (kernel/sched/core.c, `sched_prio_to_weight`).
const FIRST: i32 = -20;

/// Nice value of this process's session against those of others (kernel/sched/autogroup.c). Without it, nice values only count
/// within a session.
const SESSION: &str = "/proc/self/autogroup";

/// Priority that the calling thread and its session had before, and get back when this is dropped.
#[derive(Debug)]
pub(crate) struct Raised {
    thread: Option<i32>,
    session: Option<i32>,
}

impl Raised {
    /// Lets the calling thread, what it starts and its session go first. Without the right to that, they share the CPUs.
    pub(crate) fn of_this_thread() -> Self {
        let before = Self {
            thread: getpriority_process(None).ok(),
            session: session_nice(),
        };
        let _ = setpriority_process(None, FIRST);
        set_session_nice(FIRST);
        before
    }
}

impl Drop for Raised {
    fn drop(&mut self) {
        if let Some(nice) = self.thread {
            let _ = setpriority_process(None, nice);
        }
        if let Some(nice) = self.session {
            set_session_nice(nice);
        }
    }
}

/// Returns the session's nice value, or `None` where the kernel does not group by session.
fn session_nice() -> Option<i32> {
    let text = fs::read_to_string(SESSION).ok()?;
    text.rsplit_once(' ')?.1.trim_end().parse().ok()
}

fn set_session_nice(nice: i32) {
    // A kernel without such groups has no such file, and needs none.
    let _ = fs::write(SESSION, nice.to_string());
}
