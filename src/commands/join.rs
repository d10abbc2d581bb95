//! `logtrace join`: requests of one machine, causes of another.

use std::fs;
use std::path::Path;

use logtrace_attribution::breakdown::OverTime;
use logtrace_common::InputKind;
use logtrace_measure::join::{Joined, RunInput, TraceInput, join};
use logtrace_measure::outputs::Outputs;
use logtrace_measure::run_dir::{ARRIVALS, REQUESTS, RunDir, read_over_time};
use logtrace_report::render::Format;

use super::print::print_report;
use crate::cli::results::join::JoinArgs;
use crate::exit::Exit;

/// Files of the run that a join has unchanged, if the run has them.
const COPIED: [(&str, InputKind); 4] = [
    ("latency.hlog", InputKind::LatencyLog),
    (ARRIVALS, InputKind::Arrivals),
    ("workload.toml", InputKind::Workload),
    (REQUESTS, InputKind::Requests),
];

/// Joins, writes a run directory named after the run, and prints the report.
pub(crate) fn join_run(arguments: &JoinArgs) -> anyhow::Result<Exit> {
    let run = RunInput::read(&arguments.run_dir)?;
    let trace = TraceInput::read(&arguments.trace_dir)?;
    let joined = join(&run, &trace)?;
    joined.document.check()?;
    let dir = RunDir::create_named(&arguments.out, &name(&arguments.run_dir))?;
    write(&dir, &joined, &run, &trace)?;
    print_report(&joined.document, (Format::Terminal, false), &dir)?;
    Ok(Exit::of(&joined.document))
}

/// Returns the name of the run's directory with `-joined`.
fn name(run_dir: &Path) -> String {
    let path = fs::canonicalize(run_dir).unwrap_or_else(|_| run_dir.to_owned());
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned());
    format!("{}-joined", name.unwrap_or_else(|| "run".to_owned()))
}

fn write(dir: &RunDir, joined: &Joined, run: &RunInput, trace: &TraceInput) -> anyhow::Result<()> {
    let outputs = Outputs {
        dir,
        started: &joined.document.started,
    };
    outputs.document(&joined.document)?;
    let over_time = OverTime {
        requests: read_over_time(&run.dir, &run.document)?.and_then(|over_time| over_time.requests),
        threads: trace.thread_names.clone(),
        ..joined.breakdown.over_time.clone()
    };
    outputs.results(&joined.document, Some(&joined.breakdown.stacks), Some(&over_time))?;
    dir.write("server.json", &serde_json::to_string_pretty(&joined.facts)?)?;
    dir.write("host.json", &serde_json::to_string_pretty(&trace.host)?)?;
    COPIED
        .iter()
        .try_for_each(|&(name, kind)| dir.copy(&run.dir, name, kind))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refused_join_leaves_nothing() {
        let parent = tempfile::tempdir().unwrap();
        let arguments = JoinArgs {
            run_dir: parent.path().join("run"),
            trace_dir: parent.path().join("trace"),
            out: parent.path().join("joined"),
        };
        let error = join_run(&arguments).unwrap_err().to_string();
        assert!(error.contains("run is not a run directory"), "{error}");
        assert!(!arguments.out.exists());
    }
}
