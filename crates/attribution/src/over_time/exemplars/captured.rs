//! A commit with the records that explain it, copied before they are forgotten.

use std::cmp::Reverse;
use std::sync::Arc;

use logtrace_common::{FileClass, TimeRange};
use logtrace_events::{IoOp, OffCpu, Tid, Wake};

use crate::causes::cause::Wait;
use crate::causes::wakeup::waits_for_client;
use crate::charging::segment::Segment;
use crate::timeline::thread::{Timeline, woken_ns};
use crate::timeline::threads::Timelines;

/// Limit on the parts of a commit. One with more is not taken: 64 of them would take megabytes.
const MOST_PARTS: usize = 1_000;

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
    pub(super) segments: Vec<Segment>,
    /// Start of the time with records.
    pub(super) from_ns: u64,
    /// Threads with records, that of the commit first.
    pub(super) threads: Vec<Tid>,
    pub(super) records: Vec<Seen>,
    /// Whether records were left out: those before the commit first, and then the shortest.
    pub(super) is_cut: bool,
}

/// Record of a thread or a device, as it is drawn.
#[derive(Clone, Copy, Debug)]
pub(super) struct Seen {
    pub(super) window: TimeRange,
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
pub(crate) struct Explained<'a> {
    pub(crate) commit: TimeRange,
    pub(crate) tid: Tid,
    pub(crate) segments: &'a [Segment],
    pub(crate) timelines: &'a Timelines,
}

impl Explained<'_> {
    /// Returns whether a copy of it has a bounded size.
    pub(super) fn is_bounded(&self) -> bool {
        self.segments.len() <= MOST_PARTS
    }

    /// Copies the commit with the records of all threads that it was explained by.
    pub(super) fn capture(&self) -> Arc<Captured> {
        let lead_ns = self.commit.length_ns() / LEAD;
        let from_ns = self.commit.start_ns.saturating_sub(lead_ns);
        let window = TimeRange::new(from_ns, self.commit.end_ns);
        let threads = self.threads();
        let mut records = Vec::new();
        for &tid in &threads {
            if let Some(timeline) = self.timelines.thread(tid) {
                self.push_thread(tid, timeline, window, &mut records);
            }
        }
        let flushes = self.timelines.flushes.overlapping(window);
        records.extend(flushes.map(|flush| Seen {
            window: TimeRange::new(flush.issue_ns, flush.done_ns).intersection(window),
            doing: Doing::Flush(flush.dev),
        }));
        let is_cut = records.len() > MOST_RECORDS;
        if is_cut {
            let is_before = |seen: &Seen| seen.window.end_ns <= self.commit.start_ns;
            records.sort_by_key(|seen| (is_before(seen), Reverse(seen.window.length_ns())));
            records.truncate(MOST_RECORDS);
        }
        records.sort_by_key(|seen| (seen.window.start_ns, Reverse(seen.window.end_ns)));
        Arc::new(Captured {
            commit: self.commit,
            tid: self.tid,
            segments: self.segments.to_vec(),
            from_ns,
            threads,
            records,
            is_cut,
        })
    }

    /// Returns the threads of the segments, that of the commit first.
    fn threads(&self) -> Vec<Tid> {
        let mut threads = vec![self.tid];
        for segment in self.segments {
            if threads.len() < MOST_THREADS && !threads.contains(&segment.tid) {
                threads.push(segment.tid);
            }
        }
        threads
    }

    fn push_thread(&self, tid: Tid, timeline: &Timeline, window: TimeRange, to: &mut Vec<Seen>) {
        let mut push = |of: TimeRange, doing| {
            let window = of.intersection(window);
            if !window.is_empty() {
                to.push(Seen { window, doing });
            }
        };
        for commit in timeline.commits(window) {
            push(commit, Doing::Commit(tid));
        }
        for io in timeline.io(window) {
            push(io.window, Doing::Io(tid, io.target.0, io.target.1));
        }
        for off in timeline.off_cpu(window) {
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
