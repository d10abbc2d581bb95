//! One `logtrace trace` of a server around some work.

use std::fs;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::Context;
use logtrace_report::document::Document;
use logtrace_report::render::parse_json;
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
        // Ctrl-C is for this process, which ends the trace itself.
        .process_group(0);
    let trace = command
        .spawn()
        .with_context(|| format!("cannot run {}", program.display()))?;
    server.wait_until_traced();
    let done = work();
    kill_process(Pid::from_child(&trace), Signal::INT)?;
    let output = trace.wait_with_output()?;
    let done = done?;
    let directory = fs::read_dir(out.path())?.next().transpose()?;
    let text = directory.map(|directory| fs::read_to_string(directory.path().join("run.json")));
    let text = text.transpose()?.with_context(|| {
        format!(
            "the trace left no report: {}",
            String::from_utf8_lossy(&output.stderr)
        )
    })?;
    Ok((parse_json(&text)?, done))
}
