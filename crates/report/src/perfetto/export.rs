//! Export of a recording: its records by thread, and its commits explained.

use std::collections::BTreeSet;
use std::io::{self, Read, Write};

use logtrace_attribution::breakdown::Files;
use logtrace_attribution::cause::Wait;
use logtrace_attribution::explain::{ExplainedCommit, FrameNames, Frames, woken_ns};
use logtrace_attribution::recorded::{RecordedWindow, explain_recording, measured_window, recorded_analysis};
use logtrace_common::{FileClass, TimeRange};
use logtrace_events::{Entry, Flush, Io, OffCpu, Record, RecordingError, RecordingReader, Wake, decode};
use thiserror::Error;

use super::chosen::chosen;
use super::commits::ExportedCommits;
use super::messages::INSTANT;
use super::selection::{ExportedTimes, Selection};
use super::slices::{Slice, events, lanes};
use super::trace_file::{Event, Note, PROCESS, TraceFile};
use super::tracks::{Tracks, thread_track};

/// Limit on slices. Perfetto shows a million of them at once.
const MOST_SLICES: u64 = 1_000_000;

/// Parts of the numbers of tracks.
const GROUPS: u64 = 5 << 32;
const UNDER_WAY: u64 = 6 << 32;
const RATE: u64 = 7 << 32;

/// Content of an exported trace.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ExportedTrace {
    /// Number of commits.
    pub commits: u64,
    /// Sum of their durations in nanoseconds, which is that of the explained slices.
    pub total_ns: u64,
    /// Number of wake-ups between threads of the server: arrows.
    pub wake_ups: u64,
    /// Number of changes of the thread that a commit waited for, where only commits without a recording are exported: arrows.
    pub hops: u64,
    /// Number of slices.
    pub slices: u64,
    /// Whether later records were left out, because there were too many.
    pub is_cut: bool,
}

/// Error of an export.
#[derive(Debug, Error)]
pub enum TraceExportError {
    /// Recording that cannot be read.
    #[error(transparent)]
    Recording(#[from] RecordingError),
    /// File that cannot be written.
    #[error("cannot write the trace")]
    Write(#[from] io::Error),
}

/// Exports a part of a recording. `open` opens it, once for each pass. `server` is a name for the process of the server.
pub fn export<R: Read>(
    open: impl Fn() -> Result<RecordingReader<R>, RecordingError>,
    selection: Selection,
    server: &str,
    to: impl Write,
) -> Result<ExportedTrace, TraceExportError> {
    let times = times(&open, selection)?;
    let mut recording = open()?;
    let pid = recording.header().server_tgid;
    let mut analysis = recorded_analysis(&recording, RecordedWindow::Measured);
    let mut exporter = Exporter::new(pid, Files::new(recording.header().logs.clone()), times);
    while let Some(entry) = recording.next_entry()? {
        match entry {
            Entry::Record(bytes) => {
                if let Ok(record) = decode(bytes) {
                    let commit = record.commit();
                    exporter.push(&record);
                    analysis.push(record);
                    if let Some(explained) = commit.and_then(|commit| analysis.explained(commit)) {
                        exporter.push_commit(&explained);
                    }
                }
            }
            Entry::Lost(period) => analysis.push_lost(period),
            Entry::Window(window) => analysis.set_window(window),
            Entry::WindowEnd(at_ns) => analysis.end_window(at_ns),
        }
    }
    exporter.write(server, to)
}

fn times<R: Read>(
    open: &impl Fn() -> Result<RecordingReader<R>, RecordingError>,
    selection: Selection,
) -> Result<ExportedTimes, RecordingError> {
    let window = measured_window(open()?)?;
    let since_start = |from_ns: u64, to_ns: u64| {
        let at_ns = |ns| window.start_ns.saturating_add(ns);
        TimeRange::new(at_ns(from_ns), at_ns(to_ns))
    };
    Ok(ExportedTimes::of(match selection {
        Selection::Whole => vec![window],
        Selection::Part(part) => vec![since_start(part.start_ns, part.end_ns)],
        Selection::Exemplars | Selection::Slowest(_) => {
            let explained = explain_recording(open()?, RecordedWindow::Measured, &[])?;
            let commits = chosen(&explained.breakdown.over_time, selection);
            let commits = commits.iter().map(|chosen| chosen.commit);
            commits
                .map(|commit| since_start(commit.end.saturating_sub(commit.ns), commit.end))
                .collect()
        }
    }))
}

/// State of an export: the tracks so far, and the analysis that they come from.
struct Exporter {
    pid: u32,
    times: ExportedTimes,
    files: Files,
    names: FrameNames,
    tracks: Tracks,
    commits: ExportedCommits,
    /// Kernel's stacks of the slices.
    stacks: BTreeSet<u32>,
    exported: ExportedTrace,
}

impl Exporter {
    fn new(pid: u32, files: Files, times: ExportedTimes) -> Self {
        Self {
            pid,
            times,
            files,
            names: FrameNames::default(),
            tracks: Tracks::default(),
            commits: ExportedCommits::default(),
            stacks: BTreeSet::new(),
            exported: ExportedTrace::default(),
        }
    }

    /// Adds a record; a commit is added when it is explained.
    fn push(&mut self, record: &Record) {
        match record {
            Record::File(file) => self.files.name(file.clone()),
            Record::Stack(stack) => drop(self.names.push_kernel(stack.clone())),
            Record::Io(io) => self.push_io(io),
            Record::OffCpu(off) => self.push_off_cpu(off),
            Record::Flush(flush) => self.push_flush(*flush),
            _ => {}
        }
    }

    fn push_commit(&mut self, explained: &ExplainedCommit<'_>) {
        let ExplainedCommit { commit, segments, .. } = explained;
        let range = TimeRange::new(commit.start_ns, commit.end_ns);
        if !self.takes(range, 1 + segments.len()) {
            return;
        }
        self.exported.commits += 1;
        self.exported.total_ns += range.length_ns();
        self.commits.push(explained);
        let mut slice = Slice::new(range, "commit");
        slice.notes.push(Note("commit", self.exported.commits));
        self.tracks.threads.entry(commit.tid).or_default().push(slice);
        let explained = self.tracks.explained.entry(commit.tid).or_default();
        explained.extend(segments.iter().map(|segment| Slice {
            category: Some(segment.cause.who.to_string()),
            notes: vec![Note("thread", segment.tid.into())],
            ..Slice::new(segment.range, segment.cause.words())
        }));
    }

    fn push_io(&mut self, io: &Io) {
        let class: FileClass = self.files.class(io.file);
        let range = TimeRange::new(io.enter_ns, io.exit_ns);
        if self.takes(range, 1) {
            let slice = Slice::new(range, format!("{class} {}", io.op));
            self.tracks.threads.entry(io.tid).or_default().push(slice);
        }
    }

    fn push_off_cpu(&mut self, off: &OffCpu) {
        let range = TimeRange::new(off.out_ns, off.in_ns);
        if !self.takes(range, 2) {
            return;
        }
        let woken_ns = woken_ns(off);
        let blocked = match off.stack.map(|stack| self.names.kernel_wait(Some(stack))) {
            Some(Wait::Unclassified) | None => "blocked".to_owned(),
            Some(wait) => wait.to_string(),
        };
        let mut queued = Slice::new(range.since(woken_ns), "run queue");
        queued.ended_flow = self.wake(off);
        self.stacks.extend(off.stack);
        let blocked = Slice {
            stack: off.stack,
            ..Slice::new(range.before(woken_ns), blocked)
        };
        let slices = [blocked, queued];
        let has_time = |slice: &Slice| !slice.range.is_empty() || slice.ended_flow.is_some();
        let thread = self.tracks.threads.entry(off.tid).or_default();
        thread.extend(slices.into_iter().filter(has_time));
    }

    /// Adds the wake-up by another thread of the server, and returns the number of its flow.
    fn wake(&mut self, off: &OffCpu) -> Option<u64> {
        let Wake::By { at_ns, tid, tgid, .. } = off.wake else {
            return None;
        };
        if tgid != self.pid || tid == off.tid {
            return None;
        }
        self.exported.wake_ups += 1;
        let flow = self.exported.wake_ups;
        self.tracks.threads.entry(tid).or_default();
        self.tracks.arrows.push(Event {
            at_ns,
            track: thread_track(tid),
            kind: INSTANT,
            name: "wakes".to_owned(),
            notes: vec![Note("thread", off.tid.into())],
            flow: Some(flow),
            ..Event::default()
        });
        Some(flow)
    }

    fn push_flush(&mut self, flush: Flush) {
        let range = TimeRange::new(flush.issue_ns, flush.done_ns);
        if self.takes(range, 1) {
            let slice = Slice::new(range, "flush");
            let (major, minor) = (flush.dev >> 20, flush.dev & 0xf_ffff);
            let device = format!("{major}:{minor}");
            self.tracks.devices.entry(device).or_default().push(slice);
        }
    }

    /// Returns whether slices of an interval are exported, and counts them.
    fn takes(&mut self, interval: TimeRange, slices: usize) -> bool {
        let is_met = self.times.meet(interval);
        let has_room = self.exported.slices < MOST_SLICES;
        self.exported.is_cut |= is_met && !has_room;
        if is_met && has_room {
            self.exported.slices += slices as u64;
        }
        is_met && has_room
    }

    fn write(self, server: &str, to: impl Write) -> Result<ExportedTrace, TraceExportError> {
        let names = &self.names;
        let stacks = self.stacks.into_iter();
        let stacks = stacks.map(|id| (id, names.names(Some(Frames::Kernel(id)))));
        let mut file = self.tracks.write((self.pid, server), stacks, to)?;
        write_commits(&mut file, &self.commits)?;
        file.finish()?.flush()?;
        Ok(self.exported)
    }
}

/// Writes the groups of commits, and counters of commits.
fn write_commits<W: Write>(file: &mut TraceFile<W>, commits: &ExportedCommits) -> io::Result<()> {
    for (track, lane) in (GROUPS..).zip(lanes(commits.groups())) {
        file.named(track, PROCESS, "group commits", 0)?;
        file.events(events(track, lane))?;
    }
    file.counter(UNDER_WAY, "exported commits under way", &commits.under_way())?;
    file.counter(RATE, "exported commits a second", &commits.rate())
}
