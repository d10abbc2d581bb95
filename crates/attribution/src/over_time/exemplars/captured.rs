//! A commit with the records that explain it, copied before they are forgotten.

use std::cmp::Reverse;
use std::sync::Arc;

use logtrace_common::{FileClass, TimeRange};
use logtrace_events::{IoOp, OffCpu, Tid, Wake};

use crate::causes::Wait;
use crate::causes::wakeup::waits_for_client;
use crate::charging::Segment;
use crate::over_time::exemplars::parts::parts;
use crate::timeline::Timelines;
use crate::timeline::thread::{Timeline, woken_ns};

/// Limit on the records of a commit.
const MOST_RECORDS: usize = 500;

/// Limit on the threads of a commit.
const MOST_THREADS: usize = 32;

/// Part of a commit's duration that is shown before its start.
const LEAD: u64 = 5;

/// Commit with the records that explain it.
#[derive(Debug)]
pub(super) struct Captured {
    pub(super) commit: TimeRange,
    pub(super) tid: Tid,
    /// Its parts, which sum to its duration: its segments, or fewer ([`parts`]).
    pub(super) parts: Vec<Segment>,
    /// Number of its segments.
    pub(super) segments: usize,
    /// Start of the time with records.
    pub(super) from_ns: u64,
    /// Threads with records, that of the commit first.
    pub(super) threads: Vec<Tid>,
    pub(super) records: Vec<DrawnRecord>,
    /// Whether records were left out: those of further threads, those before the commit, and then the shortest.
    pub(super) is_cut: bool,
}

/// Record of a thread or a device, as it is drawn.
#[derive(Clone, Copy, Debug)]
pub(super) struct DrawnRecord {
    pub(super) range: TimeRange,
    pub(super) doing: Doing,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Doing {
    Commit(Tid),
    Io(Tid, FileClass, IoOp),
    /// Blocked, with the wait if the system call or the kernel's stack shows it.
    Blocked(Tid, Option<Wait>),
    /// Could run, after a wake-up by another thread of the server if one is given.
    RunQueue(Tid, Option<Tid>),
    /// Flush of a device.
    Flush(u32),
}

/// A commit that was just explained, with what is known of all threads.
#[derive(Clone, Copy, Debug)]
pub(crate) struct JustExplained<'a> {
    pub(crate) commit: TimeRange,
    pub(crate) tid: Tid,
    pub(crate) segments: &'a [Segment],
    pub(crate) timelines: &'a Timelines,
}

impl JustExplained<'_> {
    /// Copies the commit with the records of all threads that it was explained by.
    pub(super) fn capture(&self) -> Arc<Captured> {
        let lead_ns = self.commit.length_ns() / LEAD;
        let from_ns = self.commit.start_ns.saturating_sub(lead_ns);
        let range = TimeRange::new(from_ns, self.commit.end_ns);
        let (threads, has_further) = self.threads();
        let mut records = Vec::new();
        for &tid in &threads {
            if let Some(timeline) = self.timelines.thread(tid) {
                self.push_thread(tid, timeline, range, &mut records);
            }
        }
        let flushes = self.timelines.flushes.overlapping(range);
        records.extend(flushes.map(|flush| DrawnRecord {
            range: TimeRange::new(flush.issue_ns, flush.done_ns).intersection(range),
            doing: Doing::Flush(flush.dev),
        }));
        let is_cut = has_further || records.len() > MOST_RECORDS;
        if records.len() > MOST_RECORDS {
            records = self.most_telling(&records);
        }
        records.sort_by_key(|seen| (seen.range.start_ns, Reverse(seen.range.end_ns)));
        Arc::new(Captured {
            commit: self.commit,
            tid: self.tid,
            parts: parts(self.segments),
            segments: self.segments.len(),
            from_ns,
            threads,
            records,
            is_cut,
        })
    }

    /// Returns [`MOST_RECORDS`] of the records, in their order: rather those of the commit than those before it, and the longest.
    fn most_telling(&self, records: &[DrawnRecord]) -> Vec<DrawnRecord> {
        let is_before = |seen: &DrawnRecord| seen.range.end_ns <= self.commit.start_ns;
        let ranks = records.iter().enumerate();
        let ranks = ranks.map(|(at, seen)| (is_before(seen), Reverse(seen.range.length_ns()), at));
        let mut ranks: Vec<_> = ranks.collect();
        let (first, last, _) = ranks.select_nth_unstable(MOST_RECORDS - 1);
        let mut kept: Vec<usize> = first.iter().chain([&*last]).map(|&(.., at)| at).collect();
        kept.sort_unstable();
        kept.into_iter().map(|at| records[at]).collect()
    }

    /// Returns the threads of the segments, that of the commit first, and whether there are further ones.
    fn threads(&self) -> (Vec<Tid>, bool) {
        let mut threads = vec![self.tid];
        let mut has_further = false;
        for segment in self.segments {
            if !threads.contains(&segment.tid) {
                match threads.len() < MOST_THREADS {
                    true => threads.push(segment.tid),
                    false => has_further = true,
                }
            }
        }
        (threads, has_further)
    }

    fn push_thread(&self, tid: Tid, timeline: &Timeline, range: TimeRange, to: &mut Vec<DrawnRecord>) {
        let mut push = |of: TimeRange, doing| {
            let range = of.intersection(range);
            if !range.is_empty() {
                to.push(DrawnRecord { range, doing });
            }
        };
        for commit in timeline.commits(range) {
            push(commit, Doing::Commit(tid));
        }
        for io in timeline.io(range) {
            push(io.range, Doing::Io(tid, io.target.0, io.target.1));
        }
        for off in timeline.off_cpu(range) {
            let whole = TimeRange::new(off.out_ns, off.in_ns);
            let woken_ns = woken_ns(off);
            push(whole.before(woken_ns), Doing::Blocked(tid, self.wait(off)));
            push(whole.since(woken_ns), Doing::RunQueue(tid, self.waker(off)));
        }
    }

    fn wait(&self, off: &OffCpu) -> Option<Wait> {
        match off.stack {
            Some(_) => Some(self.timelines.names.kernel_wait(off.stack)),
            None => waits_for_client(off).then_some(Wait::Client),
        }
    }

    /// Returns the other thread of the server that woke the thread.
    fn waker(&self, off: &OffCpu) -> Option<Tid> {
        match off.wake {
            Wake::By { tid, tgid, .. } if tgid == self.timelines.server_tgid && tid != off.tid => Some(tid),
            _ => None,
        }
    }
}
