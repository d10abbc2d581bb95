//! CPU time of a process.

use std::time::Duration;

use nix::time::ClockId;
use nix::unistd::Pid;

/// Reads the CPU time of all threads of a process in nanoseconds, those that ended included; `None` if there is no such process.
///
/// The kernel's clock of the process (clock_getcpuclockid(3)) is not rounded to ticks as `/proc/PID/stat` is, and needs no
/// rights.
pub fn process_cpu_ns(pid: u32) -> Option<u64> {
    let pid = Pid::from_raw(i32::try_from(pid).ok()?);
    let time = ClockId::pid_cpu_clock_id(pid).ok()?.now().ok()?;
    u64::try_from(Duration::from(time).as_nanos()).ok()
}

#[cfg(test)]
mod tests {
    use std::hint::black_box;
    use std::thread;
    use std::time::Instant;

    use super::*;

    /// Works until a thread has used this much of the CPU.
    fn work(time: Duration) {
        let start = Instant::now();
        while start.elapsed() < time {
            black_box(start);
        }
    }

    #[test]
    fn a_thread_that_ended_counts() {
        let now = || process_cpu_ns(std::process::id()).unwrap();
        let before = now();
        thread::spawn(|| work(Duration::from_millis(50))).join().unwrap();
        // Other load may take the CPU from the thread.
        assert!(now() - before > 1_000_000);
    }

    #[test]
    fn a_process_that_is_not_there_has_none() {
        assert_eq!(process_cpu_ns(u32::MAX), None);
        // One more than the kernel's largest number (include/linux/threads.h, PID_MAX_LIMIT).
        assert_eq!(process_cpu_ns(1 << 22), None);
    }
}
