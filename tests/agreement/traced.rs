//! What `logtrace trace` says of a server while something else happens.

use std::process::Stdio;
use std::thread;
use std::time::{Duration, Instant};

use logtrace_report::document::Document;
use logtrace_report::render::parse_json;
use rustix::process::{Pid, Signal, kill_process};

use crate::common::foreign::Foreign;
use crate::common::logtrace;

/// An error, if the probes do not come.
const LONGEST: Duration = Duration::from_secs(60);

/// The tracer works before `during` starts and until it has ended; its window holds all of it if that begins with
/// something that takes longer than reading the tracer's first account.
pub(crate) fn traced<T>(foreign: &Foreign, during: impl FnOnce() -> T) -> (Document, T) {
    let out = tempfile::tempdir().unwrap();
    let child = logtrace()
        .args(["trace", "--pid", &foreign.pid().to_string(), "--out"])
        .arg(out.path())
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    wait_for_probes(foreign);
    let done = during();
    kill_process(Pid::from_child(&child), Signal::INT).unwrap();
    let output = child.wait_with_output().unwrap();
    let told = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(0), "{told}");
    let run = std::fs::read_dir(out.path()).unwrap().next().unwrap().unwrap();
    let text = std::fs::read_to_string(run.path().join("run.json")).unwrap();
    (parse_json(&text).unwrap(), done)
}

/// The probes of the commit are attached last.
fn wait_for_probes(foreign: &Foreign) {
    let started = Instant::now();
    while foreign.changed_code_bytes() == 0 {
        assert!(started.elapsed() < LONGEST, "logtrace attached no probe");
        thread::sleep(Duration::from_millis(20));
    }
}
