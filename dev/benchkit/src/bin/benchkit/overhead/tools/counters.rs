//! Tools that count a server's system calls.

use std::fs;
use std::process::Command;

use logtrace_benchkit::child::Child;

/// `perf trace -s`, by thread.
pub(crate) fn perf_trace(server: u32) -> anyhow::Result<Child> {
    let mut command = Command::new("perf");
    command.args(["trace", "-s", "-p", &server.to_string()]);
    // It says nothing when it is ready: it has a perf event for each thread and CPU by then, and reads them.
    Child::start(command, |child, _| has_perf_events(child))
}

/// `strace -f -c`.
pub(crate) fn strace(server: u32) -> anyhow::Result<Child> {
    let mut command = Command::new("strace");
    command.args(["-f", "-c", "-p", &server.to_string()]);
    Child::start(command, |_, _| all_threads_are_traced(server))
}

/// Reads the counts of the kernel, not those of the tool.
fn all_threads_are_traced(process: u32) -> bool {
    let Ok(threads) = fs::read_dir(format!("/proc/{process}/task")) else {
        return false;
    };
    threads.flatten().all(|thread| {
        let status = fs::read_to_string(thread.path().join("status")).unwrap_or_default();
        status
            .lines()
            .filter_map(|line| line.strip_prefix("TracerPid:"))
            .all(|tracer| tracer.trim() != "0")
    })
}

fn has_perf_events(process: u32) -> bool {
    let Ok(files) = fs::read_dir(format!("/proc/{process}/fd")) else {
        return false;
    };
    files
        .flatten()
        .filter_map(|file| fs::read_link(file.path()).ok())
        .any(|file| file.to_string_lossy().contains("perf_event"))
}
