//! Export of all tables of a run.

use std::io::{self, Read, Write};

use logtrace_attribution::breakdown::OverTime;
use logtrace_attribution::explain::ExplainedCommit;
use logtrace_attribution::recorded::{RecordedWindow, explain_each};
use logtrace_events::{RecordingError, RecordingReader, RequestsOfRun};
use logtrace_report::document::Document;
use parquet::errors::ParquetError;
use thiserror::Error;

use crate::commit_rows::{CommitRow, SegmentRow, StackIds, StackTableRow};
use crate::request_rows::RequestRow;
use crate::run_rows::{CauseTotalRow, CaveatRow, RunRow, settings};
use crate::table::{DatasetTable, ExportLevel};
use crate::table_file::{TableFile, write_rows};
use crate::time_rows::{histograms, seconds};

/// Run to export.
#[derive(Debug)]
pub struct RunToExport<'a, R> {
    /// `run.json`.
    pub document: &'a Document,
    /// `over-time.json`, if there is one.
    pub over_time: Option<&'a OverTime>,
    /// Recording, if there is one; each commit is explained again.
    pub recording: Option<RecordingReader<R>>,
    /// Requests, if they were recorded.
    pub requests: Option<&'a RequestsOfRun>,
}

/// Number of rows that were exported.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Exported {
    /// Rows of all tables.
    pub rows: u64,
    /// Rows of the table of commits.
    pub commits: u64,
}

/// Error of an export.
#[derive(Debug, Error)]
pub enum ExportError {
    /// Recording that cannot be read.
    #[error(transparent)]
    Recording(#[from] RecordingError),
    /// Recording with other commits than the run.
    #[error(
        "the recording has {commits} commits of {total_ns} ns together, but run.json has others: one of them was changed \
         after the run"
    )]
    Imbalance {
        /// Number of commits in the recording.
        commits: u64,
        /// Sum of their durations in nanoseconds.
        total_ns: u64,
    },
    /// File that cannot be created.
    #[error("cannot create a file of the table {0}")]
    Create(DatasetTable, #[source] io::Error),
    /// File that cannot be written.
    #[error("cannot write")]
    Write(#[from] ParquetError),
}

impl ExportError {
    /// Returns whether the reader of a pipe had closed it: it may have read enough.
    pub fn is_closed_pipe(&self) -> bool {
        let Self::Write(ParquetError::External(error)) = self else {
            return false;
        };
        let error = error.downcast_ref::<io::Error>();
        error.is_some_and(|error| error.kind() == io::ErrorKind::BrokenPipe)
    }
}

/// Exports the tables of a level. Tables without data are left out. `create` creates the file of a table.
pub fn export<R: Read, W: Write + Send>(
    run: RunToExport<'_, R>,
    level: ExportLevel,
    mut create: impl FnMut(DatasetTable) -> io::Result<W>,
) -> Result<Exported, ExportError> {
    let mut create = |table| create(table).map_err(|error| ExportError::Create(table, error));
    let document = run.document;
    let mut exported = Exported::default();
    exported.rows += write_rows([RunRow::from(document)], create(DatasetTable::Runs)?)?;
    exported.rows += write_rows(settings(document), create(DatasetTable::Settings)?)?;
    exported.rows += write_rows(
        document.caveats.iter().map(CaveatRow::from),
        create(DatasetTable::Caveats)?,
    )?;
    exported.rows += write_rows(
        document.causes.iter().map(CauseTotalRow::from),
        create(DatasetTable::Causes)?,
    )?;
    if let Some(over_time) = run.over_time.filter(|_| level >= ExportLevel::Seconds) {
        exported.rows += write_rows(seconds(over_time), create(DatasetTable::Seconds)?)?;
        exported.rows += write_rows(histograms(over_time), create(DatasetTable::Histograms)?)?;
    }
    if let Some(requests) = run.requests.filter(|_| level >= ExportLevel::Commits) {
        exported.rows += write_rows(request_rows(requests), create(DatasetTable::Requests)?)?;
    }
    if let Some(recording) = run.recording.filter(|_| level >= ExportLevel::Commits) {
        let segments = match level {
            ExportLevel::Segments => Some(SegmentFiles::begin(&mut create)?),
            _ => None,
        };
        let files = CommitFiles::begin(create(DatasetTable::Commits)?, segments)?;
        let (commits, others) = files.fill(recording, document)?;
        exported.commits = commits;
        exported.rows += commits + others;
    }
    Ok(exported)
}

/// Exports the table of commits alone. Returns the number of its rows.
pub fn commits(
    recording: RecordingReader<impl Read>,
    document: &Document,
    to: impl Write + Send,
) -> Result<u64, ExportError> {
    let (commits, _) = CommitFiles::begin(to, None)?.fill(recording, document)?;
    Ok(commits)
}

fn request_rows(requests: &RequestsOfRun) -> impl Iterator<Item = RequestRow> {
    let window_ns = requests.window.start_ns;
    let requests = requests.requests.iter();
    requests.map(move |request| RequestRow::new(request, window_ns))
}

/// Files of commits and, at the highest level, of their segments.
struct CommitFiles<W: Write + Send> {
    commits: TableFile<CommitRow, W>,
    segments: Option<SegmentFiles<W>>,
    next_id: i64,
    total_ns: u64,
}

/// Files of segments and of the frames below them.
struct SegmentFiles<W: Write + Send> {
    segments: TableFile<SegmentRow, W>,
    stacks: TableFile<StackTableRow, W>,
    ids: StackIds,
}

impl<W: Write + Send> CommitFiles<W> {
    fn begin(commits: W, segments: Option<SegmentFiles<W>>) -> Result<Self, ExportError> {
        Ok(Self {
            commits: TableFile::begin(commits)?,
            segments,
            next_id: 0,
            total_ns: 0,
        })
    }

    /// Writes the commits of a recording, which must be those of its run. Returns the number of commits and of other rows.
    fn fill(
        mut self,
        recording: RecordingReader<impl Read>,
        document: &Document,
    ) -> Result<(u64, u64), ExportError> {
        explain_each(recording, RecordedWindow::Measured, &[], |explained| {
            self.push(&explained)
        })?;
        let total_ns = self.total_ns;
        let commits = self.commits.finish()?;
        let expected = document.commits.as_ref().map(|all| (all.count, all.total));
        if expected != Some((commits, total_ns)) {
            return Err(ExportError::Imbalance { commits, total_ns });
        }
        let others = self.segments.map_or(Ok(0), SegmentFiles::finish)?;
        Ok((commits, others))
    }

    fn push(&mut self, explained: &ExplainedCommit<'_>) -> Result<(), ExportError> {
        let commit_id = self.next_id;
        self.next_id += 1;
        self.total_ns += explained.commit.end_ns - explained.commit.start_ns;
        self.commits
            .push(CommitRow::new(commit_id, explained, explained.window.start_ns))?;
        match &mut self.segments {
            Some(segments) => segments.push(commit_id, explained),
            None => Ok(()),
        }
    }
}

impl<W: Write + Send> SegmentFiles<W> {
    fn begin(mut create: impl FnMut(DatasetTable) -> Result<W, ExportError>) -> Result<Self, ExportError> {
        Ok(Self {
            segments: TableFile::begin(create(DatasetTable::Segments)?)?,
            stacks: TableFile::begin(create(DatasetTable::Stacks)?)?,
            ids: StackIds::default(),
        })
    }

    fn push(&mut self, commit_id: i64, explained: &ExplainedCommit<'_>) -> Result<(), ExportError> {
        let commit_ns = explained.commit.start_ns;
        for (seq, segment) in (0..).zip(explained.segments) {
            let frames = segment.frames.map(|frames| self.ids.of(frames, explained));
            let (stack_id, stack) = frames.unzip();
            if let Some(stack) = stack.flatten() {
                self.stacks.push(stack)?;
            }
            self.segments
                .push(SegmentRow::new(commit_id, seq, segment, commit_ns, stack_id))?;
        }
        Ok(())
    }

    fn finish(self) -> Result<u64, ExportError> {
        Ok(self.segments.finish()? + self.stacks.finish()?)
    }
}
