//! Times of visits of the threads that serve the client.

use std::collections::BTreeMap;

use logtrace_common::TimeRange;
use logtrace_events::{Record, Request, Tid, Wake};

use crate::causes::wakeup::is_client_wait;

/// Times of the visits of the threads of a load, by the server's clock.
#[derive(Clone, Debug, Default)]
pub struct VisitTimes {
    threads: BTreeMap<Tid, Vec<VisitTime>>,
}

/// Visit of a thread: from a wake-up by the client to the next wait for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct VisitTime {
    /// Wake-up of the thread: its request was sent before.
    pub(crate) woken_ns: u64,
    /// Last time that is certainly before its answer: the end of its last commit, or its wake-up.
    pub(crate) unanswered_ns: u64,
}

impl VisitTimes {
    /// Returns no visits of the threads that served `requests`.
    pub fn of_threads(requests: &[Request]) -> Self {
        let threads = requests.iter().filter_map(|request| request.thread);
        Self {
            threads: threads.map(|thread| (thread, Vec::new())).collect(),
        }
    }

    /// Adds a record, in the order of the recording.
    pub fn push(&mut self, record: &Record) {
        match record {
            Record::OffCpu(off) if off.syscall.is_some_and(is_client_wait) && off.wake != Wake::Preempted => {
                let woken_ns = match off.wake {
                    Wake::By { at_ns, .. } => at_ns,
                    Wake::Preempted | Wake::Unknown => off.in_ns,
                };
                self.begin(off.tid, woken_ns);
            }
            Record::Commit(commit) => self.commit(commit.tid, TimeRange::new(commit.start_ns, commit.end_ns)),
            _ => {}
        }
    }

    /// Begins a visit. Records of a thread are in the order of time; a damaged one is left out.
    pub(crate) fn begin(&mut self, thread: Tid, woken_ns: u64) {
        if let Some(visits) = self.threads.get_mut(&thread)
            && visits.last().is_none_or(|last| last.woken_ns <= woken_ns)
        {
            visits.push(VisitTime {
                woken_ns,
                unanswered_ns: woken_ns,
            });
        }
    }

    /// Adds a commit to the newest visit.
    pub(crate) fn commit(&mut self, thread: Tid, commit: TimeRange) {
        if let Some(visit) = self.threads.get_mut(&thread).and_then(|visits| visits.last_mut())
            && commit.start_ns >= visit.woken_ns
        {
            visit.unanswered_ns = visit.unanswered_ns.max(commit.end_ns);
        }
    }

    /// Returns the number of threads of the load.
    pub(crate) fn threads(&self) -> usize {
        self.threads.len()
    }

    /// Returns whether no thread has a visit.
    pub(crate) fn is_empty(&self) -> bool {
        self.threads.values().all(Vec::is_empty)
    }

    /// Returns all visits of each thread.
    pub(crate) fn by_thread(&self) -> impl Iterator<Item = &[VisitTime]> {
        self.threads.values().map(Vec::as_slice)
    }

    /// Returns the visits of a thread with wake-ups from `from_ns` on and before `until_ns`.
    pub(crate) fn between(&self, thread: Tid, from_ns: u64, until_ns: u64) -> &[VisitTime] {
        let visits = self.threads.get(&thread).map_or(&[][..], Vec::as_slice);
        let from = visits.partition_point(|visit| visit.woken_ns < from_ns);
        let until = visits.partition_point(|visit| visit.woken_ns < until_ns);
        visits.get(from..until).unwrap_or_default()
    }
}
