//! Debian's sysbench.

use std::fs;
use std::process::Command;

use anyhow::Context;

use super::arguments::{Arguments, ClientWindow};
use logtrace_benchkit::sysbench_run::{events, number_after, words};
use logtrace_common::Connection;

/// Measures one window. The CPU time is that of the whole process: connecting and preparing take little of it.
pub(crate) fn run(server: &Connection, arguments: &Arguments) -> anyhow::Result<ClientWindow> {
    let length_s = arguments.duration.as_secs().max(1);
    let words = words(server, arguments.workload, arguments.connections, length_s, &[])?;
    let before_s = children_cpu_s()?;
    let output = Command::new(&words[0])
        .args(&words[1..])
        .output()
        .context("cannot start sysbench; scripts/setup --tests installs it")?;
    let cpu_s = children_cpu_s()? - before_s;
    let told = String::from_utf8_lossy(&output.stdout);
    anyhow::ensure!(
        output.status.success(),
        "sysbench failed: {told}{}",
        String::from_utf8_lossy(&output.stderr)
    );
    let done = events(&told)?;
    Ok(ClientWindow {
        per_s: done / number_after(&told, "total time:")?,
        cpu_us: cpu_s * 1e6 / done,
    })
}

/// Reads the CPU time of all children that have ended (proc(5): cutime and cstime of /proc/PID/stat, in ticks).
fn children_cpu_s() -> anyhow::Result<f64> {
    let stat = fs::read_to_string("/proc/self/stat").context("cannot read /proc/self/stat")?;
    let (_, fields) = stat.rsplit_once(')').context("no command in /proc/self/stat")?;
    let mut ticks = fields.split_whitespace().skip(13).take(2).map(str::parse::<u64>);
    let (user, system) = (
        ticks.next().context("no cutime")??,
        ticks.next().context("no cstime")??,
    );
    Ok((user + system) as f64 / rustix::param::clock_ticks_per_second() as f64)
}
