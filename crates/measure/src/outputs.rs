//! Files of a run directory.

use std::fs;

use anyhow::{Context, anyhow};
use logtrace_attribution::breakdown::{OverTime, StackTotals, Whole};
use logtrace_report::document::Document;
use logtrace_report::render::{Format, Input, RenderError, flamegraph, render, render_folded};
use serde_json::json;

use crate::directory::run_dir::{OVER_TIME, RunDir, stack_files};
use crate::document::results::Results;
use crate::document::unfinished::unfinished;
use crate::measurement::{Interrupted, ServerSnapshot};

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
    pub(crate) fn unfinished(&self, snapshot: &ServerSnapshot, document: Document) -> anyhow::Result<()> {
        self.document(&unfinished(document))?;
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
            all: false,
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
                all: false,
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

#[cfg(test)]
mod tests {
    use std::path::Path;

    use logtrace_report::document::CaveatKind;
    use tempfile::TempDir;

    use super::*;
    use crate::directory::run_dir::{RunResults, read_document};
    use crate::document::{run, trace};
    use crate::samples::{
        STARTED, run_config, run_outcome, snapshot, trace_config, trace_outcome, traced_run, untraced_run,
    };

    fn make(parent: &TempDir) -> RunDir {
        RunDir::replace(&parent.path().join("run")).unwrap()
    }

    fn outputs(dir: &RunDir) -> Outputs<'_> {
        Outputs {
            dir,
            started: STARTED,
        }
    }

    fn names(path: &Path) -> Vec<String> {
        let entries = fs::read_dir(path)
            .unwrap()
            .map(|entry| entry.unwrap().file_name());
        let mut names: Vec<String> = entries.map(|name| name.into_string().unwrap()).collect();
        names.sort();
        names
    }

    #[test]
    fn a_killed_measurement_leaves_its_configuration_and_says_what_it_has_not() {
        let parent = tempfile::tempdir().unwrap();
        let dir = make(&parent);
        let text = |document: Document| {
            outputs(&dir).unfinished(&snapshot(), document).unwrap();
            assert_eq!(names(dir.path()), ["host.json", "run.json", "server.json"]);
            let document = read_document(&dir).unwrap();
            assert!(document.is_degraded());
            let [caveat] = &document.caveats[..] else {
                panic!("{:?}", document.caveats);
            };
            assert_eq!(caveat.kind, CaveatKind::UnfinishedRun);
            caveat.text.clone()
        };
        assert!(text(untraced_run()).contains("latency.hlog has the latencies up to its end"));
        let trace = trace::document(STARTED, &trace_outcome());
        assert!(text(trace).contains("it has no results"));
    }

    #[test]
    fn what_is_written_at_the_end_takes_the_place_of_what_was_written_at_the_start() {
        let parent = tempfile::tempdir().unwrap();
        let dir = make(&parent);
        outputs(&dir).unfinished(&snapshot(), traced_run()).unwrap();
        let results = run::results(&run_config("update_key"), STARTED, run_outcome());
        outputs(&dir).finished(&results).unwrap();
        let expected = [
            "commits.folded",
            "flamegraph.svg",
            "host.json",
            "over-time.json",
            "report.html",
            "run.json",
            "server.json",
        ];
        assert_eq!(names(dir.path()), expected);
        let read = RunResults::read(&dir).unwrap();
        assert_eq!(read.document, results.document);
        assert_eq!(read.over_time, results.over_time());
        let traced = results.snapshot.traced.as_ref().unwrap();
        let [written, live] = [&read.stacks, &traced.explained.breakdown.stacks].map(|stacks| {
            let of_commits = stacks.of(Whole::Commit).iter();
            of_commits.map(|stack| stack.total_ns).sum::<u64>()
        });
        assert_eq!(written, live);
    }

    #[test]
    fn a_run_without_a_trace_has_requests_over_time_and_no_stacks() {
        let parent = tempfile::tempdir().unwrap();
        let dir = make(&parent);
        let mut raw = run_outcome();
        raw.snapshot.traced = None;
        let results = run::results(&run_config("update_key"), STARTED, raw);
        outputs(&dir).finished(&results).unwrap();
        let expected = [
            "host.json",
            "over-time.json",
            "report.html",
            "run.json",
            "server.json",
        ];
        assert_eq!(names(dir.path()), expected);
    }

    #[test]
    fn an_error_says_whether_the_results_are_in_a_file() {
        let parent = tempfile::tempdir().unwrap();
        let results = trace::results(&trace_config(None), STARTED, trace_outcome());
        let error = |in_the_way: &str| {
            let dir = make(&parent);
            // No file takes the place of a directory.
            fs::create_dir(dir.path().join(in_the_way)).unwrap();
            format!("{:#}", outputs(&dir).finished(&results).unwrap_err())
        };
        let text = error("run.json");
        assert!(text.contains("its run.json is that of the start"), "{text}");
        let text = error("report.html");
        assert!(
            text.contains("run.json of") && text.contains("has the results"),
            "{text}"
        );
    }

    #[test]
    fn only_a_log_with_lines_is_kept_of_a_run_that_measured_nothing() {
        let parent = tempfile::tempdir().unwrap();
        let failed = |log: Option<&str>, error: anyhow::Error| {
            let dir = make(&parent);
            outputs(&dir).unfinished(&snapshot(), untraced_run()).unwrap();
            if let Some(text) = log {
                fs::write(dir.server_log(), text).unwrap();
            }
            let text = format!("{:#}", discard(&dir, error));
            let left = if dir.path().exists() {
                names(dir.path())
            } else {
                Vec::new()
            };
            (text, left)
        };
        let refused = || anyhow!("it is refused");
        let nothing: Vec<String> = Vec::new();
        assert_eq!(
            failed(None, refused()),
            ("it is refused".to_owned(), nothing.clone())
        );
        assert_eq!(failed(Some(""), refused()).1, nothing);
        let (text, left) = failed(Some("a line"), refused());
        assert_eq!(left, ["server.log"]);
        assert!(text.starts_with("it is refused\nThe server's log: ") && text.ends_with("server.log"));
        let log = parent.path().join("run/server.log").display().to_string();
        let named = failed(Some("a line"), anyhow!("see {log}")).0;
        assert_eq!(named, format!("see {log}"), "the log is named once");
        let (_, left) = failed(Some("a line"), Interrupted::Early.into());
        assert_eq!(
            left, nothing,
            "nothing is left of a run that the user ended early"
        );
    }
}
