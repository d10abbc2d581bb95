//! Export of a run without a recording: the commits that it kept whole.

use std::collections::BTreeMap;
use std::io::Write;

use logtrace_attribution::breakdown::{ExemplarRecord, Lane, OverTime};
use logtrace_common::TimeRange;
use logtrace_events::Tid;

use super::chosen::{ChosenCommit, chosen};
use super::export::{ExportedTrace, TraceExportError};
use super::messages::INSTANT;
use super::pieces::{Piece, merged};
use super::selection::Selection;
use super::slices::Slice;
use super::trace_file::{Event, Note};
use super::tracks::{Tracks, thread_track};

/// Bits of the number of a stack in its list.
const STACK_BITS: u32 = 24;

/// Exports the selected exemplars of a run: their parts, what the threads of these did meanwhile as far as it was kept, and an
/// arrow wherever a commit waited for another thread from then on. `server` is the process of the server and a name for it.
///
/// Times are those since the start of the window, all of them later if a commit began before it.
pub fn export_exemplars(
    over_time: &OverTime,
    selection: Selection,
    (pid, server): (u32, &str),
    to: impl Write,
) -> Result<ExportedTrace, TraceExportError> {
    let commits = chosen(over_time, selection);
    let mut exporter = ExemplarExporter {
        later_ns: commits.iter().map(before_window).max().unwrap_or(0),
        ..ExemplarExporter::default()
    };
    exporter.tracks.names.clone_from(&over_time.threads);
    for chosen in &commits {
        exporter.push(chosen);
    }
    exporter.write((pid, server), to)
}

/// Returns how long before the window the records of a commit begin.
fn before_window(chosen: &ChosenCommit<'_>) -> u64 {
    let commit = chosen.commit;
    let lead_ns = commit.records.as_ref().map_or(0, |records| records.lead);
    commit.ns.saturating_add(lead_ns).saturating_sub(commit.end)
}

/// Exemplars that are exported so far.
#[derive(Default)]
struct ExemplarExporter {
    /// Time that is added to all times.
    later_ns: u64,
    tracks: Tracks,
    threads: BTreeMap<Tid, Vec<Piece>>,
    devices: BTreeMap<String, Vec<Piece>>,
    /// Functions of the stacks of parts.
    stacks: BTreeMap<u32, Vec<String>>,
    exported: ExportedTrace,
}

impl ExemplarExporter {
    fn push(&mut self, chosen: &ChosenCommit<'_>) {
        let commit = chosen.commit;
        let end_ns = commit.end.saturating_add(self.later_ns);
        let range = TimeRange::new(end_ns.saturating_sub(commit.ns), end_ns);
        self.exported.commits += 1;
        let mut own = Piece::whole(range, "commit");
        let merged = commit
            .segments
            .map(|all| Note("parts before near ones became one", all));
        own.slice.notes.extend(merged);
        let left_out = match &commit.records {
            None => Some("all records of its threads left out"),
            Some(records) => records.is_cut.then_some("some records of its threads left out"),
        };
        own.slice.notes.extend(left_out.map(|words| Note(words, 1)));
        self.threads.entry(commit.tid).or_default().push(own);
        self.push_parts(chosen, range.start_ns);
        self.push_records(chosen, range);
    }

    /// Adds the parts of a commit from its start on, and an arrow between two parts of different threads.
    fn push_parts(&mut self, chosen: &ChosenCommit<'_>, start_ns: u64) {
        let mut at_ns = start_ns;
        let mut before: Option<Tid> = None;
        for part in &chosen.commit.parts {
            let row = &chosen.of.stacks[part.2];
            let mut slice = Slice {
                category: Some(row.cause.who.to_string()),
                notes: vec![Note("thread", part.1.into())],
                ..Slice::new(
                    TimeRange::new(at_ns, at_ns.saturating_add(part.0)),
                    row.cause.words(),
                )
            };
            if !row.frames.is_empty() {
                let id = chosen.list << STACK_BITS | part.2 as u32;
                self.stacks.entry(id).or_insert_with(|| row.frames.clone());
                slice.stack = Some(id);
            }
            if let Some(from) = before.filter(|&from| from != part.1) {
                self.push_hop(at_ns, from, part.1);
            }
            before = Some(part.1);
            at_ns = slice.range.end_ns;
            self.exported.total_ns = self.exported.total_ns.saturating_add(part.0);
            let explained = self.tracks.explained.entry(chosen.commit.tid);
            explained.or_default().push(slice);
        }
    }

    fn push_hop(&mut self, at_ns: u64, from: Tid, to: Tid) {
        self.exported.hops += 1;
        let flow = Some(self.exported.hops);
        let event = |name: &str, thread: Tid, other: Tid| Event {
            at_ns,
            track: thread_track(thread),
            kind: INSTANT,
            name: name.to_owned(),
            notes: vec![Note("thread", other.into())],
            ..Event::default()
        };
        let leaves = event("critical path leaves", from, to);
        let comes = event("critical path comes", to, from);
        self.tracks.arrows.extend([
            Event { flow, ..leaves },
            Event {
                ended_flow: flow,
                ..comes
            },
        ]);
        for thread in [from, to] {
            self.threads.entry(thread).or_default();
        }
    }

    /// Adds what the threads and devices did from shortly before the commit until its end.
    fn push_records(&mut self, chosen: &ChosenCommit<'_>, commit: TimeRange) {
        let Some(records) = &chosen.commit.records else {
            return;
        };
        let seen = commit_with_lead(commit, records.lead);
        for record in &records.list {
            let piece = piece(record, &chosen.of.words[record.word], seen);
            match &records.lanes[record.lane] {
                Lane::Thread { tid } => self.threads.entry(*tid).or_default().push(piece),
                Lane::Device { device } => self.devices.entry(device.clone()).or_default().push(piece),
            }
        }
    }

    fn write(mut self, server: (u32, &str), to: impl Write) -> Result<ExportedTrace, TraceExportError> {
        let threads = self.threads.into_iter();
        self.tracks.threads = threads.map(|(tid, pieces)| (tid, merged(pieces))).collect();
        let devices = self.devices.into_iter();
        self.tracks.devices = devices.map(|(device, pieces)| (device, merged(pieces))).collect();
        self.exported.slices = self.tracks.slices();
        let file = self.tracks.write(server, self.stacks, to)?;
        file.finish()?.flush()?;
        Ok(self.exported)
    }
}

/// Returns the time of a commit with the time before it that its records have.
fn commit_with_lead(commit: TimeRange, lead_ns: u64) -> TimeRange {
    TimeRange::new(commit.start_ns.saturating_sub(lead_ns), commit.end_ns)
}

/// Returns a record of a commit that was seen in this time.
fn piece(record: &ExemplarRecord, word: &str, seen: TimeRange) -> Piece {
    let start_ns = seen.start_ns.saturating_add(record.start);
    let range = TimeRange::new(start_ns, start_ns.saturating_add(record.ns));
    let mut piece = Piece::whole(range, word);
    piece.is_start_cut = range.start_ns <= seen.start_ns;
    piece.is_end_cut = range.end_ns >= seen.end_ns;
    if record.waker != 0 {
        piece.slice.notes.push(Note("woken by", record.waker.into()));
    }
    piece
}
