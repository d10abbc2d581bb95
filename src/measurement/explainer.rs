//! What happens to each record on the draining thread: decode, explain, and keep it if asked.

use std::fs::File;
use std::io::{self, BufWriter};
use std::sync::Arc;

use logtrace_events::{LogNames, RecordingWriter, decode};
use logtrace_report::analysis::{Analysis, AnalysisConfig};
use logtrace_report::breakdown::Breakdown;
use logtrace_report::window::Window;
use logtrace_tracer::Sink;

use super::exchange::Exchange;

/// Explains commits as their records arrive.
#[derive(Debug)]
pub(crate) struct Explainer {
    analysis: Analysis,
    /// The window is announced in it shortly before it starts.
    exchange: Arc<Exchange>,
    window: Option<Window>,
    is_ended: bool,
    undecodable: u64,
    recording: Option<RecordingWriter<BufWriter<File>>>,
    recording_failed: Option<io::Error>,
}

/// What the explainer has in the end.
#[derive(Debug)]
pub(crate) struct Explained {
    /// Where the commit time went.
    pub(crate) breakdown: Breakdown,
    /// Bytes that were not a record.
    pub(crate) undecodable: u64,
    /// Why the recording is incomplete.
    pub(crate) recording_failed: Option<io::Error>,
}

impl Explainer {
    /// Explains the commits of the server `pid` in the window that is announced later; keeps all records in
    /// `recording`.
    pub(crate) fn new(
        pid: u32,
        logs: LogNames,
        exchange: Arc<Exchange>,
        recording: Option<File>,
    ) -> io::Result<Self> {
        let config = AnalysisConfig {
            server_tgid: pid,
            logs,
            window: Window::new(0, 0),
        };
        Ok(Self {
            analysis: Analysis::new(config),
            exchange,
            window: None,
            is_ended: false,
            undecodable: 0,
            recording: recording
                .map(BufWriter::new)
                .map(RecordingWriter::new)
                .transpose()?,
            recording_failed: None,
        })
    }

    /// The breakdown of everything that was seen.
    pub(crate) fn finish(mut self) -> Explained {
        // There may have been no record since it was announced.
        self.notice_window();
        if let Some(recording) = &mut self.recording
            && let Err(error) = recording.flush()
        {
            self.recording_failed.get_or_insert(error);
        }
        Explained {
            breakdown: self.analysis.finish(),
            undecodable: self.undecodable,
            recording_failed: self.recording_failed,
        }
    }

    fn notice_window(&mut self) {
        if self.window.is_none()
            && let Some(window) = self.exchange.window()
        {
            self.window = Some(window);
            self.analysis.set_window(window);
        }
        if !self.is_ended
            && let Some(end_ns) = self.exchange.ended()
        {
            self.is_ended = true;
            self.analysis.end_window(end_ns);
        }
    }

    /// A full disk ends the recording, not the run.
    fn keep(&mut self, bytes: &[u8]) {
        if let Some(recording) = &mut self.recording
            && let Err(error) = recording.write(bytes)
        {
            self.recording_failed = Some(error);
            self.recording = None;
        }
    }
}

impl Sink for Explainer {
    fn record(&mut self, bytes: &[u8]) {
        self.notice_window();
        self.keep(bytes);
        match decode(bytes) {
            Ok(record) => self.analysis.push(record),
            Err(_) => self.undecodable += 1,
        }
        self.exchange.count(self.analysis.commits_so_far());
    }
}
