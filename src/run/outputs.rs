//! The files of a run directory.

use std::fs;

use anyhow::{Context, anyhow};
use logtrace_events::RunDir;
use logtrace_report::document::{Caveat, Document};
use logtrace_report::render::{Format, Input, RenderError, flamegraph, render};
use serde_json::json;

use super::config::RunConfig;
use super::document::document;
use super::interrupts::Interrupted;
use super::measure::Raw;
use crate::told::told;

/// Writes the files of one run.
#[derive(Debug)]
pub(crate) struct Outputs<'a> {
    /// Where.
    pub(crate) dir: &'a RunDir,
    /// What is measured.
    pub(crate) config: &'a RunConfig,
    /// RFC 3339 time of the start.
    pub(crate) started: &'a str,
}

impl Outputs<'_> {
    /// Writes what is known before anything is measured, so that a run that is killed leaves a directory that says
    /// what it was.
    pub(crate) fn unfinished(&self, raw: &Raw) -> anyhow::Result<()> {
        let (mut document, _) = document(self.config, self.started, raw);
        document.caveats.push(Caveat {
            kind: "unfinished_run".into(),
            text: "this run has not ended in order: latency.hlog holds what it measured".into(),
        });
        self.document(&document)?;
        self.facts(raw)
    }

    /// Writes everything.
    pub(crate) fn finished(&self, raw: &Raw, document: &Document) -> anyhow::Result<()> {
        self.document(document)?;
        self.facts(raw)?;
        let stacks = raw
            .traced
            .as_ref()
            .map_or(&[][..], |traced| &traced.explained.breakdown.stacks);
        let input = Input {
            document,
            stacks,
            color: false,
        };
        self.write(&self.dir.report_html(), &render(Format::Html, input)?)?;
        if raw.traced.is_none() {
            return Ok(());
        }
        self.write(&self.dir.commits_folded(), &render(Format::Folded, input)?)?;
        match flamegraph(document, stacks) {
            Ok(svg) => self.write(&self.dir.flamegraph_svg(), &svg),
            // A workload that only reads has no commits to draw.
            Err(RenderError::NoStacks) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }

    fn document(&self, document: &Document) -> anyhow::Result<()> {
        let json = render(
            Format::Json,
            Input {
                document,
                stacks: &[],
                color: false,
            },
        )?;
        self.write(&self.dir.run_json(), &json)
    }

    fn facts(&self, raw: &Raw) -> anyhow::Result<()> {
        let server = json!({ "server": raw.server, "data": raw.data, "status_delta": raw.status });
        self.write(&self.dir.server_json(), &serde_json::to_string_pretty(&server)?)?;
        self.write(&self.dir.host_json(), &serde_json::to_string_pretty(&raw.host)?)
    }

    fn write(&self, path: &std::path::Path, contents: &str) -> anyhow::Result<()> {
        self.dir
            .write(path, contents.as_bytes())
            .with_context(|| format!("cannot write {}", path.display()))
    }
}

/// Removes the directory of a run that measured nothing, unless there is a log of a server in it that may tell more
/// than the error does.
pub(crate) fn discard(dir: &RunDir, error: anyhow::Error) -> anyhow::Error {
    let log = dir.server_log();
    let logged = fs::metadata(&log).is_ok_and(|metadata| metadata.len() > 0);
    // What cannot be removed is empty of results.
    if !logged || error.is::<Interrupted>() {
        let _ = fs::remove_dir_all(dir.path());
        return error;
    }
    for entry in fs::read_dir(dir.path()).into_iter().flatten().flatten() {
        if entry.path() != log {
            let _ = fs::remove_file(entry.path());
        }
    }
    let text = told(&error);
    let log = log.display().to_string();
    if text.contains(&log) {
        error
    } else {
        anyhow!("{text}\nThe server's log: {log}")
    }
}
