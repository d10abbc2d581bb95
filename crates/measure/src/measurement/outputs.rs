//! Files of a run directory.

use std::fs;

use anyhow::{Context, anyhow};
use logtrace_attribution::breakdown::{OverTime, StackTotals, Whole};
use logtrace_report::document::Document;
use logtrace_report::render::{Format, Input, RenderError, flamegraph, render, render_folded};
use serde_json::json;

use super::caveat::CaveatKind;
use super::document::Results;
use super::server_snapshot::ServerSnapshot;
use super::signals::Interrupted;
use crate::directory::run_dir::{OVER_TIME, RunDir, stack_files};

/// Writes the files of one run.
#[derive(Debug)]
pub struct Outputs<'a> {
    /// Directory for the files.
    pub dir: &'a RunDir,
    /// Time of the start (RFC 3339).
    pub started: &'a str,
}

impl Outputs<'_> {
    /// Writes the files before the measurement, so that the directory of a killed run tells its configuration.
    pub(crate) fn unfinished(&self, snapshot: &ServerSnapshot, mut document: Document) -> anyhow::Result<()> {
        let rest = match document.driver {
            Some(_) => "latency.hlog has the latencies up to its end",
            None => "it has no results",
        };
        let text = format!("this run did not finish: {rest}");
        document.caveats.push(CaveatKind::UnfinishedRun.caveat(text));
        self.document(&document)?;
        self.facts(snapshot)
    }

    /// Writes all files after the measurement, the document first. The error says which of the two kinds is missing: without
    /// the document the results are in no file.
    pub fn finished(&self, results: &Results) -> anyhow::Result<()> {
        let place = self.dir.path().display();
        let Results {
            snapshot, document, ..
        } = results;
        self.document(document).with_context(|| {
            format!(
                "measured, but {place} has no results: its run.json is that of the start. Free space there"
            )
        })?;
        let traced = snapshot.traced.as_ref();
        let stacks = traced.map(|traced| &traced.explained.breakdown.stacks);
        let over_time = results.over_time();
        let others = self.facts(snapshot);
        let others = others.and(self.results(document, stacks, over_time.as_ref()));
        others.with_context(|| {
            format!(
                "measured, and run.json of {place} has the results, but not all other files could be written"
            )
        })
    }

    /// Writes the report, the stacks of a trace, and the commits and requests over time.
    pub fn results(
        &self,
        document: &Document,
        stacks: Option<&StackTotals>,
        over_time: Option<&OverTime>,
    ) -> anyhow::Result<()> {
        let nothing = StackTotals::default();
        let input = Input {
            document,
            stacks: stacks.unwrap_or(&nothing),
            over_time,
            color: false,
        };
        self.dir.write("report.html", &render(Format::Html, input)?)?;
        if let Some(over_time) = over_time {
            self.dir.write(OVER_TIME, &serde_json::to_string(over_time)?)?;
        }
        if stacks.is_some() {
            self.stacks(Whole::Commit, input)?;
        }
        // A trace has no requests, and only some runs explain statements.
        if document.response.is_some() {
            self.stacks(Whole::Response, input)?;
        }
        if document.statements.is_some() {
            self.stacks(Whole::Statement, input)?;
        }
        Ok(())
    }

    fn stacks(&self, whole: Whole, input: Input<'_>) -> anyhow::Result<()> {
        let text = render_folded(whole, input.stacks);
        let (folded, flame_graph) = stack_files(whole);
        self.dir.write(folded, &text)?;
        match flamegraph(input.document, input.stacks, whole) {
            Ok(svg) => self.dir.write(flame_graph, &svg),
            // A workload without writes has no commits to draw.
            Err(RenderError::NoStacks) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }

    /// Writes `run.json`.
    pub fn document(&self, document: &Document) -> anyhow::Result<()> {
        let json = render(
            Format::Json,
            Input {
                document,
                stacks: &StackTotals::default(),
                over_time: None,
                color: false,
            },
        )?;
        self.dir.write("run.json", &json)
    }

    fn facts(&self, snapshot: &ServerSnapshot) -> anyhow::Result<()> {
        let server = json!({
            "server": snapshot.server,
            "connection": snapshot.connection,
            "data": snapshot.data,
            "status_delta": snapshot.status,
        });
        self.dir
            .write("server.json", &serde_json::to_string_pretty(&server)?)?;
        self.dir
            .write("host.json", &serde_json::to_string_pretty(&snapshot.host)?)
    }
}

/// Removes the directory of a run that measured nothing. Keeps the log of the server if it has lines: it may tell more
/// than the error.
pub fn discard(dir: &RunDir, error: anyhow::Error) -> anyhow::Error {
    let log = dir.server_log();
    let logged = fs::metadata(&log).is_ok_and(|metadata| metadata.len() > 0);
    // A directory that cannot be removed has no results.
    if !logged || error.is::<Interrupted>() {
        let _ = fs::remove_dir_all(dir.path());
        return error;
    }
    for entry in fs::read_dir(dir.path()).into_iter().flatten().flatten() {
        if entry.path() != log {
            let _ = fs::remove_file(entry.path());
        }
    }
    let text = format!("{error:#}");
    let log = log.display().to_string();
    if text.contains(&log) {
        error
    } else {
        anyhow!("{text}\nThe server's log: {log}")
    }
}
