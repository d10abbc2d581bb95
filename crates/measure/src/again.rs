//! A recording, explained again by this version.

use anyhow::Context;
use logtrace_attribution::breakdown::OverTime;
use logtrace_attribution::recorded::{RecordedWindow, explain_recording};
use logtrace_events::Request;
use logtrace_report::document::Document;

use crate::directory::run_dir::{
    RunDir, RunResults, open_recording, read_document, read_over_time, read_requests,
};
use crate::document::again::document;
use crate::say;

/// Explains the recording of a run or a trace again, with the requests of its load. Changes nothing in the directory. Says on
/// stderr if another version traced it.
///
/// The result is that of the live trace if this version made it, but for one thing: with lost records or between bursts, a
/// request counts as joined or not by what was known when it came to the analysis, and the recording does not have that
/// moment.
pub fn explain_again(dir: &RunDir) -> anyhow::Result<RunResults> {
    let run = read_document(dir)?;
    let recording = open_recording(dir)?.with_context(|| {
        format!(
            "{} has no recording (records.bin): only a run or a trace with --record can be explained again",
            dir.path().display()
        )
    })?;
    let requests = requests(dir, &run)?;
    let explained = explain_recording(recording, RecordedWindow::Measured, &requests)
        .with_context(|| format!("cannot explain {}", dir.records_bin().display()))?;
    let document = document(&run, &explained);
    document.check()?;
    tell_versions(&run, &document);
    // The client measured its requests, the kernel had the names of the threads, and no explanation changes them.
    let before = read_over_time(dir, &run)?.unwrap_or_default();
    Ok(RunResults {
        document,
        stacks: explained.breakdown.stacks,
        over_time: Some(OverTime {
            requests: before.requests,
            threads: before.threads,
            ..explained.breakdown.over_time
        }),
    })
}

/// Returns the requests of a run; none for a trace.
fn requests(dir: &RunDir, run: &Document) -> anyhow::Result<Vec<Request>> {
    if run.driver.is_none() {
        return Ok(Vec::new());
    }
    let requests = read_requests(dir, run)?.with_context(|| {
        format!(
            "{} has records.bin and no requests.bin, without which response times have no parts: repeat the run with \
             --record",
            dir.path().display()
        )
    })?;
    Ok(requests.requests)
}

fn tell_versions(run: &Document, again: &Document) {
    if run.logtrace != again.logtrace {
        say::line(&format!(
            "traced by logtrace {}, explained again by {}",
            run.logtrace, again.logtrace
        ));
    }
}

#[cfg(test)]
mod tests {
    use logtrace_report::document::CaveatKind;
    use tempfile::TempDir;

    use super::*;
    use crate::directory::run_dir::OVER_TIME;
    use crate::document::run::results;
    use crate::document::unfinished::unfinished;
    use crate::samples::{
        STARTED, directory, recording, run_config, run_outcome, save_records, save_requests, trace_document,
        traced_run, untraced_run, window,
    };

    /// Makes the directory of a run with its recording and its requests, of which the recording knows none.
    fn recorded(parent: &TempDir, run: &Document, recording: &[u8]) -> RunDir {
        let dir = directory(&parent.path().join("run"), run);
        save_records(&dir, recording);
        save_requests(&dir, &[], window());
        dir
    }

    fn error(dir: &RunDir) -> String {
        format!("{:#}", explain_again(dir).unwrap_err())
    }

    #[test]
    fn a_run_explained_again_is_the_same() {
        let parent = tempfile::tempdir().unwrap();
        let run = traced_run();
        let again = explain_again(&recorded(&parent, &run, &recording())).unwrap();
        assert_eq!(again.document, run);
        assert_eq!(again.over_time.unwrap().commits.count(), 200);
    }

    #[test]
    fn what_the_client_measured_and_the_names_of_threads_stay() {
        let parent = tempfile::tempdir().unwrap();
        let results = results(&run_config("update_key"), STARTED, run_outcome());
        let dir = recorded(&parent, &results.document, &recording());
        let mut before = results.over_time().unwrap();
        before.threads.insert(100, "connection".to_owned());
        dir.write(OVER_TIME, &serde_json::to_string(&before).unwrap())
            .unwrap();
        assert_eq!(explain_again(&dir).unwrap().over_time, Some(before));
    }

    #[test]
    fn a_recording_that_was_cut_has_the_commits_until_then() {
        let parent = tempfile::tempdir().unwrap();
        let whole = recording();
        let run = traced_run();
        let again = explain_again(&recorded(&parent, &run, &whole[..whole.len() / 2])).unwrap();
        let commits = again.document.commits.as_ref().unwrap();
        assert!((1..200).contains(&commits.count), "{}", commits.count);
        assert_eq!(again.document.driver, run.driver);
        assert_eq!(again.document.check(), Ok(()));
    }

    #[test]
    fn a_killed_run_has_the_commits_of_its_recording_and_is_told_not_to_have_finished() {
        let parent = tempfile::tempdir().unwrap();
        let dir = recorded(&parent, &unfinished(untraced_run()), &recording());
        let document = explain_again(&dir).unwrap().document;
        assert_eq!(document.commits, traced_run().commits);
        assert_eq!(document.caveats[0].kind, CaveatKind::UnfinishedRun);
    }

    #[test]
    fn files_that_are_missing_are_named_with_the_remedy() {
        let parent = tempfile::tempdir().unwrap();
        let dir = directory(&parent.path().join("run"), &traced_run());
        let text = error(&dir);
        assert!(
            text.contains("records.bin") && text.contains("--record"),
            "{text}"
        );
        save_records(&dir, &recording());
        let text = error(&dir);
        assert!(
            text.contains("requests.bin") && text.contains("--record"),
            "{text}"
        );
        // A trace has no requests.
        let dir = directory(&parent.path().join("trace"), &trace_document());
        save_records(&dir, &recording());
        assert_eq!(explain_again(&dir).unwrap().document, trace_document());
    }

    #[test]
    fn a_recording_that_is_none_is_named() {
        let parent = tempfile::tempdir().unwrap();
        let text = error(&recorded(&parent, &traced_run(), b"something else"));
        assert!(
            text.contains("records.bin") && text.contains("not a recording"),
            "{text}"
        );
        let text = error(&recorded(&parent, &traced_run(), b""));
        assert!(text.contains("killed as it began"), "{text}");
    }
}
