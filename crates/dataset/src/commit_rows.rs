//! Rows of commits, their segments, and the frames below these.

use std::collections::HashMap;

use logtrace_attribution::cause::Who;
use logtrace_attribution::explain::{ExplainedCommit, Frames, Segment};
use parquet_derive::ParquetRecordWriter;

use crate::table_file::{difference, integer};

/// Row of the table `commits`. The times by who worked sum to `dur_ns`.
#[derive(Debug, PartialEq, Eq, ParquetRecordWriter)]
pub(crate) struct CommitRow {
    commit_id: i64,
    start_ns: i64,
    end_ns: i64,
    dur_ns: i64,
    tid: i64,
    leader_tid: Option<i64>,
    own_ns: i64,
    leader_ns: i64,
    previous_group_ns: i64,
    session_ns: i64,
    background_ns: i64,
}

/// Row of the table `segments`: a part of a commit. The segments of a commit sum to its `dur_ns`.
#[derive(Debug, PartialEq, Eq, ParquetRecordWriter)]
pub(crate) struct SegmentRow {
    commit_id: i64,
    seq: i64,
    offset_ns: i64,
    dur_ns: i64,
    tid: i64,
    who: &'static str,
    file: Option<&'static str>,
    op: Option<&'static str>,
    wait: &'static str,
    kind: &'static str,
    stack_id: Option<i64>,
}

/// Row of the table `stacks`: the names of frames, outermost first, with semicolons between.
#[derive(Debug, PartialEq, Eq, ParquetRecordWriter)]
pub(crate) struct StackTableRow {
    stack_id: i64,
    frames: String,
}

/// Numbers of the stacks of a run, in the order in which they are met.
#[derive(Debug, Default)]
pub(crate) struct StackIds(HashMap<Frames, i64>);

impl CommitRow {
    /// Creates the row of a commit, for a window that began at `window_ns`.
    pub(crate) fn new(commit_id: i64, explained: &ExplainedCommit<'_>, window_ns: u64) -> Self {
        let commit = explained.commit;
        let by_who = |who| {
            let segments = explained.segments.iter();
            let segments = segments.filter(|segment| segment.cause.who == who);
            integer(segments.map(|segment| segment.range.length_ns()).sum())
        };
        Self {
            commit_id,
            start_ns: difference(commit.start_ns, window_ns),
            end_ns: difference(commit.end_ns, window_ns),
            dur_ns: difference(commit.end_ns, commit.start_ns),
            tid: commit.tid.into(),
            leader_tid: explained.leader.map(Into::into),
            own_ns: by_who(Who::Own),
            leader_ns: by_who(Who::Leader),
            previous_group_ns: by_who(Who::PreviousGroup),
            session_ns: by_who(Who::Session),
            background_ns: by_who(Who::Background),
        }
    }
}

impl SegmentRow {
    /// Creates the row of a segment: the one with number `seq` of a commit that began at `commit_ns`.
    pub(crate) fn new(
        commit_id: i64,
        seq: i64,
        segment: &Segment,
        commit_ns: u64,
        stack_id: Option<i64>,
    ) -> Self {
        let (file, op) = segment.cause.io.unzip();
        Self {
            commit_id,
            seq,
            offset_ns: difference(segment.range.start_ns, commit_ns),
            dur_ns: integer(segment.range.length_ns()),
            tid: segment.tid.into(),
            who: segment.cause.who.into(),
            file: file.map(Into::into),
            op: op.map(Into::into),
            wait: segment.cause.wait.into(),
            kind: segment.cause.wait.kind().into(),
            stack_id,
        }
    }
}

impl StackIds {
    /// Returns the number of frames, and their row if they are new.
    pub(crate) fn of(
        &mut self,
        frames: Frames,
        explained: &ExplainedCommit<'_>,
    ) -> (i64, Option<StackTableRow>) {
        if let Some(&stack_id) = self.0.get(&frames) {
            return (stack_id, None);
        }
        let stack_id = integer(self.0.len() as u64);
        self.0.insert(frames, stack_id);
        let frames = explained.names(frames).join(";");
        (stack_id, Some(StackTableRow { stack_id, frames }))
    }
}
