//! Times of visits of the threads that serve the client.

use std::collections::BTreeMap;

use logtrace_common::TimeRange;
use logtrace_events::{Record, Request, Tid, Wake};

use crate::causes::wakeup::waits_for_client;

/// Wake-ups and commits of the threads of a load, by the server's clock.
#[derive(Clone, Debug, Default)]
pub struct VisitTimes {
    threads: BTreeMap<Tid, ThreadTimes>,
}

#[derive(Clone, Debug, Default)]
struct ThreadTimes {
    /// Wake-ups by the client: a request was sent before. A request that arrives while its thread still works has none.
    wake_ups: Vec<u64>,
    /// Commits: their requests were sent before they began, and answered after they ended.
    commits: Vec<TimeRange>,
}

impl VisitTimes {
    /// Returns no times of the threads that served `requests`.
    pub fn of_threads(requests: &[Request]) -> Self {
        let threads = requests.iter().filter_map(|request| request.thread);
        Self {
            threads: threads.map(|thread| (thread, ThreadTimes::default())).collect(),
        }
    }

    /// Adds a record, in the order of the recording.
    pub fn push(&mut self, record: &Record) {
        match record {
            Record::OffCpu(off) if waits_for_client(off) => {
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

    /// Adds a wake-up. Records of a thread are in the order of time; a damaged one is left out.
    pub(crate) fn begin(&mut self, thread: Tid, woken_ns: u64) {
        if let Some(times) = self.threads.get_mut(&thread)
            && times.wake_ups.last().is_none_or(|&last_ns| last_ns <= woken_ns)
        {
            times.wake_ups.push(woken_ns);
        }
    }

    /// Adds a commit.
    pub(crate) fn commit(&mut self, thread: Tid, commit: TimeRange) {
        if let Some(times) = self.threads.get_mut(&thread)
            && times
                .commits
                .last()
                .is_none_or(|last| last.end_ns <= commit.start_ns)
        {
            times.commits.push(commit);
        }
    }

    /// Returns the number of threads of the load.
    pub(crate) fn threads(&self) -> usize {
        self.threads.len()
    }

    /// Returns whether no thread was woken.
    pub(crate) fn is_empty(&self) -> bool {
        self.threads.values().all(|times| times.wake_ups.is_empty())
    }

    /// Returns all wake-ups of each thread.
    pub(crate) fn by_thread(&self) -> impl Iterator<Item = &[u64]> {
        self.threads.values().map(|times| times.wake_ups.as_slice())
    }

    /// Returns the wake-ups of a thread from `from_ns` on and before `until_ns`.
    pub(crate) fn wake_ups(&self, thread: Tid, from_ns: u64, until_ns: u64) -> &[u64] {
        let wake_ups = self.threads.get(&thread).map(|times| times.wake_ups.as_slice());
        between(wake_ups.unwrap_or_default(), from_ns, until_ns, |&woken_ns| {
            woken_ns
        })
    }

    /// Returns the first and the last time of the wake-ups and commits of a thread that began from `from_ns` on and before
    /// `until_ns`: all of it is after its request was sent, and before its answer was complete.
    pub(crate) fn work(&self, thread: Tid, from_ns: u64, until_ns: u64) -> Option<(u64, u64)> {
        let times = self.threads.get(&thread)?;
        let wake_ups = between(&times.wake_ups, from_ns, until_ns, |&woken_ns| woken_ns);
        let commits = between(&times.commits, from_ns, until_ns, |commit| commit.start_ns);
        let starts = [
            wake_ups.first().copied(),
            commits.first().map(|commit| commit.start_ns),
        ];
        let ends = [
            wake_ups.last().copied(),
            commits.last().map(|commit| commit.end_ns),
        ];
        Some((
            starts.into_iter().flatten().min()?,
            ends.into_iter().flatten().max()?,
        ))
    }
}

/// Returns the items with times from `from_ns` on and before `until_ns`.
fn between<T>(items: &[T], from_ns: u64, until_ns: u64, time_ns: impl Fn(&T) -> u64) -> &[T] {
    let from = items.partition_point(|item| time_ns(item) < from_ns);
    let until = items.partition_point(|item| time_ns(item) < until_ns);
    items.get(from..until).unwrap_or_default()
}
