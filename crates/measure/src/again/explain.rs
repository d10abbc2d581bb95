//! Files of a run directory, explained again.

use anyhow::Context;
use logtrace_attribution::breakdown::OverTime;
use logtrace_attribution::recorded::{RecordedWindow, explain_recording};
use logtrace_events::Request;
use logtrace_report::document::Document;

use super::document::document;
use crate::directory::run_dir::{
    RunDir, RunResults, open_recording, read_document, read_over_time, read_requests,
};
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
