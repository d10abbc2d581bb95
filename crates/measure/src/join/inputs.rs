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
