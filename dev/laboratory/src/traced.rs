//! One `logtrace trace` of a server around some work.

use std::fs;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::Context;
use logtrace_report::document::Document;
use logtrace_report::parse_json;
use rustix::process::{Pid, Signal, kill_process};

use crate::foreign::Foreign;

/// Traces a server with `program trace --detail full` during `work`. Returns the report and what `work` returns.
///
/// # Errors
///
/// Returns an error if the trace or the work fails.
pub fn traced<T>(
    program: &Path,
    server: &Foreign,
    work: impl FnOnce() -> anyhow::Result<T>,
) -> anyhow::Result<(Document, T)> {
    let out = tempfile::tempdir()?;
    let mut command = Command::new(program);
    command
        .args([
            "trace",
            "--detail",
            "full",
            "--pid",
            &server.pid().to_string(),
            "--out",
        ])
        .arg(out.path())
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        // Ctrl-C is for this process, which ends the trace itself, with a signal that is not ignored in the background.
        .process_group(0);
    let mut trace = command
        .spawn()
        .with_context(|| format!("cannot run {}", program.display()))?;
    let done = wait_until_attached(&mut trace).and_then(|()| work());
    if trace.try_wait()?.is_none() {
        kill_process(Pid::from_child(&trace), Signal::TERM)?;
    }
    let output = trace.wait_with_output()?;
    let stderr = String::from_utf8_lossy(&output.stderr);
    let done = done.with_context(|| stderr.trim().to_owned())?;
    let directory = fs::read_dir(out.path())?.next().transpose()?;
    let text = directory.map(|directory| fs::read_to_string(directory.path().join("run.json")));
    let text = text
        .transpose()?
        .with_context(|| format!("the trace left no report: {stderr}"))?;
    Ok((parse_json(&text)?, done))
}

/// Time for which no probe must come before all are taken to be there.
const STEADY: Duration = Duration::from_millis(400);

/// Waits until a trace has attached its probes: each is an open file of its process.
fn wait_until_attached(trace: &mut Child) -> anyhow::Result<()> {
    let start = Instant::now();
    let (mut seen, mut since) = (0, Instant::now());
    while seen == 0 || since.elapsed() < STEADY {
        anyhow::ensure!(
            start.elapsed() < Duration::from_secs(60),
            "the trace attaches no probes"
        );
        thread::sleep(Duration::from_millis(20));
        anyhow::ensure!(trace.try_wait()?.is_none(), "the trace has ended by itself");
        let now = probes(trace.id())?;
        if now != seen {
            (seen, since) = (now, Instant::now());
        }
    }
    Ok(())
}

/// Returns the number of a process's open links of probes.
fn probes(pid: u32) -> anyhow::Result<usize> {
    let files = fs::read_dir(format!("/proc/{pid}/fd")).context("the trace has ended")?;
    let is_probe = |target: &Path| {
        let name = target.to_string_lossy();
        name.contains("bpf_link") || name.contains("bpf-link") || name.contains("perf_event")
    };
    let targets = files.flatten().filter_map(|file| fs::read_link(file.path()).ok());
    Ok(targets.filter(|target| is_probe(target)).count())
}
