//! Sink of the tracer: decodes each record, explains commits, and saves the record if wanted.

use std::fs::File;
use std::io::{self, BufWriter};
use std::sync::Arc;
use std::sync::mpsc::Receiver;

use logtrace_attribution::analysis::{Analysis, AnalysisConfig};
use logtrace_attribution::breakdown::Breakdown;
use logtrace_common::TimeRange;
use logtrace_events::{Entry, RecordingHeader, RecordingWriter, Request, decode};
use logtrace_server::ServerFacts;
use logtrace_tracer::Sink;

use super::clocks::clocks_now;
use super::window_signal::WindowSignal;
use crate::directory::reserved_file::ReservedFile;

/// Explains commits as their records arrive.
#[derive(Debug)]
pub(crate) struct Explainer {
    analysis: Analysis,
    /// Announces the window shortly before it starts.
    window_signal: Arc<WindowSignal>,
    requests: Option<Receiver<Request>>,
    has_window: bool,
    is_ended: bool,
    /// Number of records before the next look for requests.
    until_requests: u32,
    undecodable: u64,
    recording: Option<RecordingWriter<BufWriter<ReservedFile>>>,
    recording_failed: Option<io::Error>,
}

/// Number of records between two looks for requests. Looking at each record would cost as much as decoding it.
const RECORDS_A_LOOK: u32 = 16;

/// Results of the explainer.
#[derive(Debug)]
pub(crate) struct Explained {
    pub(crate) breakdown: Breakdown,
    pub(crate) undecodable: u64,
    /// Error that ended the recording early.
    pub(crate) recording_failed: Option<io::Error>,
}

impl Explainer {
    /// Explains the commits of a server in the window that is announced later, and with `statements` also statements
    /// outside of their commits. `requests` are those of the load. Saves all records in `recording`.
    pub(crate) fn new(
        server: &ServerFacts,
        server_tgid: u32,
        statements: bool,
        window_signal: Arc<WindowSignal>,
        requests: Option<Receiver<Request>>,
        recording: Option<File>,
    ) -> io::Result<Self> {
        let logs = server.log_names();
        let (ack_receiver, cluster_receiver) = (server.ack_receiver(), server.cluster_receiver());
        let mut analysis = Analysis::new(AnalysisConfig {
            server_tgid,
            logs: logs.clone(),
            window: TimeRange::new(0, 0),
        });
        if statements {
            analysis.explain_statements();
        }
        if let Some(thread) = ack_receiver {
            analysis.name_ack_receiver(thread);
        }
        if let Some(thread) = cluster_receiver {
            analysis.name_cluster_receiver(thread);
        }
        if requests.is_some() {
            analysis.expect_requests();
        }
        let header = RecordingHeader {
            server_tgid,
            logs,
            ack_receiver,
            cluster_receiver,
            statements,
            clocks: clocks_now(),
        };
        Ok(Self {
            analysis,
            window_signal,
            requests,
            has_window: false,
            is_ended: false,
            until_requests: 0,
            undecodable: 0,
            recording: recording
                .map(|file| RecordingWriter::new(BufWriter::new(ReservedFile::new(file)), &header))
                .transpose()?,
            recording_failed: None,
        })
    }

    /// Returns the results.
    pub(crate) fn finish(mut self) -> Explained {
        // No record may have come since the announcement.
        self.notice_window();
        self.take_requests();
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

    fn take_requests(&mut self) {
        if let Some(requests) = &self.requests {
            for request in requests.try_iter() {
                self.analysis.push_request(&request);
            }
        }
        self.until_requests = RECORDS_A_LOOK;
    }

    fn notice_window(&mut self) {
        if !self.has_window
            && let Some(window) = self.window_signal.window()
        {
            self.has_window = true;
            self.analysis.set_window(window);
            self.save(Entry::Window(window));
        }
        if !self.is_ended
            && let Some(end_ns) = self.window_signal.ended()
        {
            self.is_ended = true;
            self.analysis.end_window(end_ns);
            self.save(Entry::WindowEnd(end_ns));
        }
    }

    /// Saves what the analysis gets. A disk that is almost full ends the recording, not the run.
    fn save(&mut self, entry: Entry<'_>) {
        if let Some(recording) = &mut self.recording
            && let Err(error) = recording.write(entry)
        {
            self.recording_failed = Some(error);
            self.recording = None;
        }
    }
}

impl Sink for Explainer {
    fn lost(&mut self, from_ns: u64, until_ns: u64) {
        let period = TimeRange::new(from_ns, until_ns);
        self.save(Entry::Lost(period));
        self.analysis.push_lost(period);
    }

    fn record(&mut self, bytes: &[u8]) {
        self.notice_window();
        self.save(Entry::Record(bytes));
        match self.until_requests.checked_sub(1) {
            Some(left) => self.until_requests = left,
            None => self.take_requests(),
        }
        match decode(bytes) {
            Ok(record) => self.analysis.push(record),
            Err(_) => self.undecodable += 1,
        }
        self.window_signal.count(self.analysis.commits_so_far());
        self.window_signal.answer(|| self.analysis.take_recent());
        self.window_signal.want(self.analysis.take_wanted());
    }
}
