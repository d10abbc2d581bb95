//! Explanation of a recording: the same totals as those of the live trace, or those of another window.

use std::io::Read;

use logtrace_common::TimeRange;
use logtrace_events::{Entry, RecordingError, RecordingReader, Request, decode};

use crate::analysis::{Analysis, AnalysisConfig};
use crate::charging::explained_commit::ExplainedCommit;
use crate::clocks::VisitTimes;
use crate::totals::Breakdown;

/// Window to explain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RecordedWindow {
    /// Window that was measured when the recording was made.
    Measured,
    /// Another window, by the clock of the recording.
    Of(TimeRange),
}

/// Explanation of a recording.
#[derive(Debug)]
pub struct Recorded {
    /// Totals of the window.
    pub breakdown: Breakdown,
    /// Number of records that could not be decoded.
    pub undecodable: u64,
}

/// Explains a recording. `requests` are those that its server answered, by its clock; requests of one connection are in
/// their order.
///
/// For the measured window, with the requests that the live trace had, the result is that of the live trace, as far as all
/// was traced and nothing lost.
pub fn explain_recording(
    recording: RecordingReader<impl Read>,
    window: RecordedWindow,
    requests: &[Request],
) -> Result<Recorded, RecordingError> {
    explain_each(recording, window, requests, |_| Ok(()))
}

/// Explains a recording, and hands each commit of the window to `each`, in the order of their ends. Ends with the first error
/// of `each`.
pub fn explain_each<E: From<RecordingError>>(
    mut recording: RecordingReader<impl Read>,
    window: RecordedWindow,
    requests: &[Request],
    mut each: impl FnMut(ExplainedCommit<'_>) -> Result<(), E>,
) -> Result<Recorded, E> {
    let mut analysis = recorded_analysis(&recording, window);
    if !requests.is_empty() {
        analysis.expect_requests();
    }
    for request in requests {
        analysis.push_request(request);
    }
    let is_measured = window == RecordedWindow::Measured;
    let mut undecodable = 0;
    while let Some(entry) = recording.next_entry()? {
        match entry {
            Entry::Record(bytes) => match decode(bytes) {
                Ok(record) => {
                    let commit = record.commit();
                    analysis.push(record);
                    let explained = commit.and_then(|commit| analysis.explained(commit));
                    explained.map_or(Ok(()), &mut each)?;
                }
                Err(_) => undecodable += 1,
            },
            Entry::Lost(period) => analysis.push_lost(period),
            Entry::Window(window) if is_measured => analysis.set_window(window),
            Entry::WindowEnd(at_ns) if is_measured => analysis.end_window(at_ns),
            Entry::Window(_) | Entry::WindowEnd(_) => {}
        }
    }
    Ok(Recorded {
        breakdown: analysis.finish(),
        undecodable,
    })
}

/// Reads the visits of the threads that served `requests`, and the measured window of the recording; the window is empty
/// if there was none.
pub fn recorded_visits(
    mut recording: RecordingReader<impl Read>,
    requests: &[Request],
) -> Result<(VisitTimes, TimeRange), RecordingError> {
    let mut visits = VisitTimes::of_threads(requests);
    let mut measured = TimeRange::new(0, 0);
    while let Some(entry) = recording.next_entry()? {
        note_window(&mut measured, &entry);
        if let Entry::Record(bytes) = entry
            && let Ok(record) = decode(bytes)
        {
            visits.push(&record);
        }
    }
    Ok((visits, measured))
}

/// Reads the measured window of a recording; it is empty if there was none.
pub fn measured_window(mut recording: RecordingReader<impl Read>) -> Result<TimeRange, RecordingError> {
    let mut measured = TimeRange::new(0, 0);
    while let Some(entry) = recording.next_entry()? {
        note_window(&mut measured, &entry);
    }
    Ok(measured)
}

/// Changes the measured window as an entry says.
fn note_window(measured: &mut TimeRange, entry: &Entry<'_>) {
    match *entry {
        Entry::Window(window) => *measured = window,
        Entry::WindowEnd(at_ns) => measured.end_ns = measured.end_ns.min(at_ns),
        Entry::Record(_) | Entry::Lost(_) => {}
    }
}

/// Returns an analysis for a recording, before its first record.
pub fn recorded_analysis(recording: &RecordingReader<impl Read>, window: RecordedWindow) -> Analysis {
    let header = recording.header();
    let mut analysis = Analysis::new(AnalysisConfig {
        server_tgid: header.server_tgid,
        logs: header.logs.clone(),
        window: match window {
            RecordedWindow::Measured => TimeRange::new(0, 0),
            RecordedWindow::Of(window) => window,
        },
    });
    if header.statements {
        analysis.explain_statements();
    }
    if let Some(thread) = header.ack_receiver {
        analysis.name_ack_receiver(thread);
    }
    if let Some(thread) = header.cluster_receiver {
        analysis.name_cluster_receiver(thread);
    }
    analysis
}
