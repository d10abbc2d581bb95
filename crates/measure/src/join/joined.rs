//! Join: clocks, window, causes.

use anyhow::Context;
use logtrace_attribution::breakdown::Breakdown;
use logtrace_attribution::clocks::match_clocks;
use logtrace_attribution::recorded::{RecordedWindow, explain_recording, recorded_visits};
use logtrace_common::TimeRange;
use logtrace_report::document::{Document, Join};
use serde_json::Value;

use super::inputs::{RunInput, TraceInput};
use super::same_server::check_same_server;
use super::translated::{offset_by_date, translated, translated_window};
use crate::document::join::document;
use crate::document::join_parts::Parts;

/// Run with the causes of a trace.
#[derive(Debug)]
pub struct Joined {
    /// Document of the joined run.
    pub document: Document,
    /// Totals that are in the document.
    pub breakdown: Breakdown,
    /// `server.json`.
    pub facts: Value,
}

/// Joins a run with a trace: matches their clocks by the requests, and explains the recording again in the window of the
/// run, with its requests.
pub fn join(run: &RunInput, trace: &TraceInput) -> anyhow::Result<Joined> {
    check_same_server(&run.facts, &trace.facts)?;
    let client = &run.requests;
    let recording = trace.recording()?;
    let by_date_ns = offset_by_date(client.clocks, recording.header().clocks);
    let (visits, traced) =
        recorded_visits(recording, &client.requests).with_context(|| trace.unreadable())?;
    let matched = match_clocks(&client.requests, &visits, client.window, by_date_ns)
        .context("cannot match the clocks of the two machines")?;
    let window = translated_window(client.window, &matched.line);
    let explained = explain_recording(
        trace.recording()?,
        RecordedWindow::Of(window),
        &translated(&client.requests, &matched.line),
    );
    let explained = explained.with_context(|| trace.unreadable())?;
    let join = Join {
        trace_started: trace.document.started.clone(),
        offset: matched.line.offset_at(client.window.start_ns),
        drift_ppm: matched.line.drift * 1e6,
        error: matched.error_ns,
        requests: matched.requests,
        matched: matched.matched,
    };
    let parts = Parts {
        run: &run.document,
        trace: &trace.document,
        explained: &explained,
        missed_ns: missed_ns(window, traced),
    };
    Ok(Joined {
        document: document(&parts, join),
        facts: merged_facts(&run.facts, &trace.facts),
        breakdown: explained.breakdown,
    })
}

/// Returns the part of the window that the trace does not cover.
fn missed_ns(window: TimeRange, traced: TimeRange) -> u64 {
    window.length_ns() - window.intersection(traced).length_ns()
}

/// Returns the facts of the trace, which knows the process and the machine, with those of the run's login.
fn merged_facts(run: &Value, trace: &Value) -> Value {
    let mut merged = trace.clone();
    let known = run.pointer("/server/variables").and_then(Value::as_object);
    let variables = merged
        .pointer_mut("/server/variables")
        .and_then(Value::as_object_mut);
    if let (Some(known), Some(variables)) = (known, variables) {
        variables.extend(known.clone());
    }
    for name in ["connection", "status_delta"] {
        if let (Some(value), Some(facts)) = (run.get(name), merged.as_object_mut()) {
            facts.insert(name.to_owned(), value.clone());
        }
    }
    merged
}

#[cfg(test)]
mod tests {
    use logtrace_events::Request;
    use logtrace_report::document::CaveatKind;
    use serde_json::json;
    use tempfile::TempDir;

    use super::*;
    use crate::samples::{
        OFFSET_NS, directory, recording, recording_in, requests, save_records, save_requests, trace_document,
        untraced_run, window,
    };

    #[test]
    fn the_uncovered_part_of_a_window_is_known() {
        let window = TimeRange::new(100, 200);
        for (start_ns, end_ns, missed) in [
            (0, 300, 0),
            (100, 200, 0),
            (150, 300, 50),
            (0, 110, 90),
            (300, 400, 100),
        ] {
            assert_eq!(missed_ns(window, TimeRange::new(start_ns, end_ns)), missed);
        }
    }

    #[test]
    fn facts_are_of_both() {
        let run = json!({"server": {"pid": null, "variables": {"a": "1"}}, "connection": {"user": "x"}, "status_delta": {"q": 1}});
        let trace =
            json!({"server": {"pid": 7, "variables": {"b": "2"}}, "connection": null, "status_delta": {}});
        let merged = merged_facts(&run, &trace);
        let expected = json!({"server": {"pid": 7, "variables": {"a": "1", "b": "2"}}, "connection": {"user": "x"}, "status_delta": {"q": 1}});
        assert_eq!(merged, expected);
    }

    /// Writes and reads a run with these requests, and a trace with this recording.
    fn inputs(requests: &[Request], recording: &[u8]) -> (TempDir, RunInput, TraceInput) {
        let parent = tempfile::tempdir().unwrap();
        let run = directory(&parent.path().join("run"), &untraced_run());
        save_requests(&run, requests, window());
        let trace = directory(&parent.path().join("trace"), &trace_document());
        save_records(&trace, recording);
        let (run, trace) = (run.path(), trace.path());
        let read = (RunInput::read(run).unwrap(), TraceInput::read(trace).unwrap());
        (parent, read.0, read.1)
    }

    #[test]
    fn each_request_of_a_run_gets_the_commit_of_its_trace() {
        let (_parent, run, trace) = inputs(&requests(), &recording());
        let joined = join(&run, &trace).unwrap();
        let document = &joined.document;
        let clocks = document.join.as_ref().unwrap();
        let offset_ns = i64::try_from(OFFSET_NS).unwrap();
        assert!(clocks.offset.abs_diff(offset_ns) <= clocks.error, "{clocks:?}");
        assert_eq!((clocks.requests, clocks.matched), (200, 200));
        let response = document.response.as_ref().unwrap();
        assert_eq!((response.requests, response.unmatched), (200, 0));
        assert_eq!(document.commits.as_ref().unwrap().count, 200);
        assert_eq!(document.caveats, []);
        assert_eq!(document.check(), Ok(()));
    }

    #[test]
    fn a_trace_that_ended_before_the_run_is_told_with_the_time_that_it_misses() {
        let half = window().start_ns + window().length_ns() / 2 + OFFSET_NS;
        let (_parent, run, trace) = inputs(&requests(), &recording_in(TimeRange::new(0, half)));
        let document = join(&run, &trace).unwrap().document;
        let [caveat] = &document.caveats[..] else {
            panic!("{:?}", document.caveats);
        };
        assert_eq!(caveat.kind, CaveatKind::PartlyJoined);
        assert!(document.is_degraded());
    }

    #[test]
    fn requests_that_the_threads_of_the_trace_do_not_follow_are_refused() {
        let hour_ns = 3_600_000_000_000;
        let mut late = requests();
        for request in &mut late {
            for at_ns in [
                &mut request.due_ns,
                &mut request.sent_ns,
                &mut request.attempt_ns,
                &mut request.done_ns,
            ] {
                *at_ns += hour_ns;
            }
        }
        let (_parent, run, trace) = inputs(&late, &recording());
        let error = join(&run, &trace).unwrap_err().to_string();
        assert_eq!(error, "cannot match the clocks of the two machines");
    }

    #[test]
    fn a_trace_of_another_server_is_refused() {
        let (_parent, mut run, trace) = inputs(&requests(), &recording());
        run.facts["server"]["flavor"] = "mariadb".into();
        let error = join(&run, &trace).unwrap_err().to_string();
        assert!(
            error.contains("different servers: flavor is mariadb in the run and mysql"),
            "{error}"
        );
    }
}
