//! Files of a run directory and of a trace directory that a join reads.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::{Context, bail, ensure};
use logtrace_common::InputKind;
use logtrace_events::RequestsOfRun;
use logtrace_report::document::Document;
use serde_json::Value;

use crate::directory::run_dir::{
    RunDir, RunRecording, open_recording, read_document, read_over_time, read_requests,
};

/// Run of a load, with its requests.
#[derive(Debug)]
pub struct RunInput {
    /// Run directory.
    pub dir: RunDir,
    /// Its `run.json`.
    pub document: Document,
    pub(crate) requests: RequestsOfRun,
    /// `server.json`.
    pub(crate) facts: Value,
}

/// Trace of a server, with its recording.
#[derive(Debug)]
pub struct TraceInput {
    pub(crate) document: Document,
    /// `server.json`.
    pub(crate) facts: Value,
    /// `host.json`.
    pub host: Value,
    /// Names of threads of the server by their ids.
    pub thread_names: BTreeMap<u32, String>,
    dir: RunDir,
}

impl RunInput {
    /// Reads a run directory.
    pub fn read(path: &Path) -> anyhow::Result<Self> {
        let dir = RunDir::open(path)?;
        let document = read_document(&dir)?;
        ensure!(
            document.driver.is_some(),
            "{} is no run with a load: give the directory of `logtrace run` first, then that of `logtrace trace`",
            path.display()
        );
        let requests = read_requests(&dir, &document)?.with_context(|| {
            format!(
                "{} has no requests.bin: repeat the run with --record",
                path.display()
            )
        })?;
        ensure!(
            !requests.window.is_empty(),
            "the run of {} did not finish, so its window is not known: repeat it",
            path.display()
        );
        Ok(Self {
            facts: json(&dir, "server.json")?,
            dir,
            document,
            requests,
        })
    }
}

impl TraceInput {
    /// Reads a trace directory; the recording only when it is used.
    pub fn read(path: &Path) -> anyhow::Result<Self> {
        let dir = RunDir::open(path)?;
        let document = read_document(&dir)?;
        ensure!(
            open_recording(&dir)?.is_some(),
            "{} has no records.bin: repeat the trace with --record",
            path.display()
        );
        let Some(tracing) = document.tracing.as_ref().filter(|_| document.tracer.is_some()) else {
            bail!("the trace of {} did not finish: repeat it", path.display());
        };
        ensure!(
            tracing.sample == "100%" && document.gaps().is_none(),
            "{} traced only bursts (--sample {}), which do not follow the requests: trace all of the time",
            path.display(),
            tracing.sample
        );
        let over_time = read_over_time(&dir, &document)?;
        Ok(Self {
            facts: json(&dir, "server.json")?,
            host: json(&dir, "host.json")?,
            thread_names: over_time.map_or_else(BTreeMap::new, |over_time| over_time.threads),
            document,
            dir,
        })
    }

    /// Opens the recording.
    pub(crate) fn recording(&self) -> anyhow::Result<RunRecording> {
        open_recording(&self.dir)?.context("the recording is gone")
    }

    /// Returns the context of an error in the recording.
    pub(crate) fn unreadable(&self) -> String {
        format!("cannot understand {}", self.dir.records_bin().display())
    }
}

fn json(dir: &RunDir, name: &str) -> anyhow::Result<Value> {
    serde_json::from_str(&dir.text(name, InputKind::Facts)?)
        .with_context(|| format!("cannot understand {}", dir.path().join(name).display()))
}

#[cfg(test)]
mod tests {
    use logtrace_common::TimeRange;
    use logtrace_report::document::Document;

    use super::*;
    use crate::samples::{
        directory, recording, requests, save_records, save_requests, trace_document, untraced_run, window,
    };

    /// Returns the error of the run directory that `make` makes of a document.
    fn run_error(document: &Document, make: impl FnOnce(&RunDir)) -> String {
        let parent = tempfile::tempdir().unwrap();
        let dir = directory(&parent.path().join("run"), document);
        make(&dir);
        RunInput::read(dir.path()).unwrap_err().to_string()
    }

    fn trace_error(document: &Document, make: impl FnOnce(&RunDir)) -> String {
        let parent = tempfile::tempdir().unwrap();
        let dir = directory(&parent.path().join("trace"), document);
        make(&dir);
        TraceInput::read(dir.path()).unwrap_err().to_string()
    }

    #[test]
    fn a_run_without_a_load_requests_or_an_end_is_refused() {
        let text = run_error(&trace_document(), |_| {});
        assert!(text.contains("is no run with a load"), "{text}");
        let text = run_error(&untraced_run(), |_| {});
        assert!(
            text.contains("has no requests.bin: repeat the run with --record"),
            "{text}"
        );
        let text = run_error(&untraced_run(), |dir| {
            save_requests(dir, &requests(), TimeRange::new(0, 0));
        });
        assert!(
            text.contains("did not finish, so its window is not known"),
            "{text}"
        );
    }

    #[test]
    fn a_trace_without_a_recording_an_end_or_all_of_the_time_is_refused() {
        let text = trace_error(&trace_document(), |_| {});
        assert!(
            text.contains("has no records.bin: repeat the trace with --record"),
            "{text}"
        );
        let mut killed = trace_document();
        killed.tracer = None;
        let with_records = |dir: &RunDir| save_records(dir, &recording());
        let text = trace_error(&killed, with_records);
        assert!(text.contains("did not finish: repeat it"), "{text}");
        let mut in_bursts = trace_document();
        in_bursts.tracing.as_mut().unwrap().sample = "10%".to_owned();
        let text = trace_error(&in_bursts, with_records);
        assert!(text.contains("traced only bursts (--sample 10%)"), "{text}");
    }

    #[test]
    fn facts_that_are_damaged_are_named() {
        let text = run_error(&untraced_run(), |dir| {
            save_requests(dir, &requests(), window());
            dir.write("server.json", "{").unwrap();
        });
        assert!(
            text.contains("cannot understand") && text.contains("server.json"),
            "{text}"
        );
        let text = trace_error(&trace_document(), |dir| {
            save_records(dir, &recording());
            dir.write("host.json", "{").unwrap();
        });
        assert!(
            text.contains("cannot understand") && text.contains("host.json"),
            "{text}"
        );
    }
}
