//! Debian's sysbench, on the tables of logtrace's driver: they are the same.

use std::fs;
use std::process::Command;

use anyhow::{Context, bail};
use logtrace_server::{Connection, Endpoint};

use crate::ours::{DATABASE, DATASET};
use crate::{Arguments, Window};

/// One window. Its CPU time is that of the whole process: connecting and preparing are a small part of seconds.
pub(crate) fn run(server: &Connection, arguments: &Arguments) -> anyhow::Result<Window> {
    let Endpoint::Socket(socket) = &server.endpoint else {
        bail!("a private server has a socket");
    };
    let script = arguments.workload.alias;
    let script = script.with_context(|| format!("sysbench has no {}", arguments.workload.name))?;
    let seconds = arguments.duration.as_secs().max(1);
    let before_s = children_cpu_s()?;
    let output = Command::new("sysbench")
        .arg(script)
        .args(["--rand-type=uniform", "--events=0"])
        .arg(format!("--mysql-db={DATABASE}"))
        .arg(format!("--mysql-user={}", server.user))
        .arg(format!("--mysql-socket={}", socket.display()))
        .arg(format!("--threads={}", arguments.connections))
        .arg(format!("--tables={}", DATASET.tables))
        .arg(format!("--table-size={}", DATASET.rows))
        .arg(format!("--time={seconds}"))
        .arg("run")
        .output()
        .context("cannot start sysbench; scripts/setup --tests installs it")?;
    let cpu_s = children_cpu_s()? - before_s;
    let told = String::from_utf8_lossy(&output.stdout);
    anyhow::ensure!(
        output.status.success(),
        "sysbench failed: {told}{}",
        String::from_utf8_lossy(&output.stderr)
    );
    let done: f64 = number_after(&told, "total number of events:")?;
    let took_s: f64 = number_after(&told, "total time:")?;
    Ok(Window {
        per_s: done / took_s,
        cpu_us: cpu_s * 1e6 / done,
    })
}

/// A number of sysbench's report; a unit may follow it.
fn number_after(told: &str, title: &str) -> anyhow::Result<f64> {
    let (_, rest) = told
        .split_once(title)
        .with_context(|| format!("sysbench told no {title:?}: {told}"))?;
    let word = rest.split_whitespace().next().unwrap_or_default();
    word.trim_end_matches('s')
        .parse()
        .with_context(|| format!("{word:?} after {title:?}"))
}

/// CPU time of all children that have ended (proc(5), cutime and cstime of /proc/PID/stat, in ticks).
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
