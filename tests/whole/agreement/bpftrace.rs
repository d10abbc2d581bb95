//! bpftrace at work on a process.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Lines};
use std::process::{Child, ChildStdout, Stdio};

use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;

use logtrace_benchkit::with_tracefs::with_tracefs;

/// Number of events, and the sum of their times in nanoseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Calls {
    pub(crate) count: u64,
    pub(crate) total: u64,
}

/// Result of a script.
#[derive(Debug, Default)]
pub(crate) struct Seen {
    /// Events by key: the name of a file, or whether the CPU was idle.
    pub(crate) calls: BTreeMap<String, Calls>,
    /// Start and end of the time in which it counted, if the script says so.
    pub(crate) counted_ns: [u64; 2],
}

/// bpftrace, attached.
pub(crate) struct Bpftrace {
    child: Child,
    output: Lines<BufReader<ChildStdout>>,
}

impl Bpftrace {
    /// Returns when it sees the fsyncs of the process.
    pub(crate) fn fsyncs_of(pid: u32) -> Self {
        Self::start(
            concat!(env!("CARGO_MANIFEST_DIR"), "/tests/whole/agreement/fsyncs.bt"),
            pid,
        )
    }

    /// Returns when it sees the waits for a CPU of the process.
    pub(crate) fn run_queue_of(pid: u32) -> Self {
        Self::start(
            concat!(env!("CARGO_MANIFEST_DIR"), "/tests/whole/agreement/run_queue.bt"),
            pid,
        )
    }

    fn start(script: &str, pid: u32) -> Self {
        let mut child = with_tracefs("bpftrace")
            .args(["-q", "-f", "json", script, &pid.to_string()])
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap_or_else(|error| panic!("unshare: {error}"));
        let mut output = BufReader::new(child.stdout.take().unwrap()).lines();
        while !next(&mut output).contains(r"attached\n") {}
        Self { child, output }
    }

    /// Ends bpftrace, and returns its result.
    pub(crate) fn ended(mut self) -> Seen {
        kill_process(Pid::from_child(&self.child), Signal::INT).unwrap();
        let mut seen = Seen::default();
        for line in self.output.by_ref() {
            let line = line.unwrap();
            let told: Value = serde_json::from_str(&line).unwrap_or_default();
            for (name, count) in map(&told, "@calls") {
                seen.calls.entry(name).or_default().count = count;
            }
            for (name, total) in map(&told, "@total") {
                seen.calls.entry(name).or_default().total = total;
            }
            for (at_ns, name) in seen.counted_ns.iter_mut().zip(["@first", "@last"]) {
                *at_ns = told["data"][name].as_u64().unwrap_or(*at_ns);
            }
        }
        assert!(self.child.wait().unwrap().success(), "bpftrace failed");
        seen
    }
}

fn next(output: &mut Lines<BufReader<ChildStdout>>) -> String {
    let line = output.next();
    line.unwrap_or_else(|| panic!("bpftrace ended early: try tests/agreement/fsyncs.bt PID by hand; scripts/setup --tests installs it"))
        .unwrap()
}

/// The keys and values of a map that bpftrace printed.
fn map(told: &Value, name: &str) -> Vec<(String, u64)> {
    let Some(entries) = told["data"][name].as_object() else {
        return Vec::new();
    };
    let entry = |(key, value): (&String, &Value)| (key.clone(), value.as_u64().unwrap());
    entries.iter().map(entry).collect()
}
