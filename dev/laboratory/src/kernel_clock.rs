//! Time that the kernel itself counts for threads.

use std::time::Duration;

use anyhow::Context;
use procfs::process::Process;

/// Returns the time for which threads of a process could run and had no CPU (`/proc/PID/task/TID/schedstat`,
/// kernel/sched/stats.h `sched_info_arrive()`).
///
/// # Errors
///
/// Returns an error if a thread has ended, or the kernel does not count.
pub fn run_delay(pid: u32, threads: &[u32]) -> anyhow::Result<Duration> {
    let process = Process::new(i32::try_from(pid)?).context("the server has ended")?;
    let mut sum = 0;
    for &thread in threads {
        let task = process.task_from_tid(i32::try_from(thread)?)?;
        sum += task
            .schedstat()
            .context("the kernel counts no waits for a CPU")?
            .run_delay;
    }
    Ok(Duration::from_nanos(sum))
}
