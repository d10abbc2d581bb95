//! Threads that commits waited for.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use logtrace_events::Tid;
use serde::{Deserialize, Serialize};

use crate::causes::cause_index::add_ns;
use crate::causes::{Cause, Who};
use crate::charging::Segment;
use crate::charging::stack_index::StackIndex;
use crate::timeline::Timelines;
use crate::timeline::thread_table::ThreadTable;

/// Most threads that are listed.
const MOST_LISTED: usize = 16;

/// Most things that a thread did that are listed.
const MOST_WORKS: usize = 3;

/// Limit on the threads that are counted. Clients that connect again and again would have no end of them.
const MOST_COUNTED: usize = 8_192;

/// Threads that commits waited for, without each commit's own thread.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct WaitedFor {
    /// Threads of the longest times, at most 16, the longest first.
    pub threads: Vec<ThreadTime>,
    /// Number of all other threads.
    pub other_threads: u64,
    /// Nanoseconds for which commits waited for these.
    pub other_ns: u64,
}

/// Time for which commits waited for one thread.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ThreadTime {
    /// Id of the thread.
    pub tid: u32,
    /// Roles of the thread for the commits.
    pub who: BTreeSet<Who>,
    /// Nanoseconds of all commits.
    pub ns: u64,
    /// Number of commits that waited for it.
    pub commits: u64,
    /// Nanoseconds of all commits in which the thread held a lock that they waited for; 0 in older files.
    #[serde(default)]
    pub lock: u64,
    /// Number of these commits; 0 in older files.
    #[serde(default)]
    pub lock_commits: u64,
    /// Longest part of `lock` of one commit; 0 in older files.
    #[serde(default)]
    pub longest_lock: u64,
    /// Nanoseconds of `lock` in which the thread waited for its own client.
    #[serde(default)]
    pub idle: u64,
    /// Work and waits of the thread while commits waited for it: at most three, the longest first. Older files have none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub did: Vec<ThreadWork>,
}

/// Work or wait of a thread while commits waited for it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ThreadWork {
    /// Call on a file and wait, in words.
    pub words: String,
    /// Nanoseconds of all commits.
    pub ns: u64,
}

/// Times by thread while a run goes on.
#[derive(Debug, Default)]
pub(super) struct WaitedForTotals {
    commits: u64,
    threads: ThreadTable<Total>,
    other_threads: u64,
    other_ns: u64,
}

#[derive(Debug, Default)]
struct Total {
    time: ThreadTime,
    /// Number of the last commit that waited for the thread, and what the thread was for it.
    last_commit: u64,
    last_who: Option<Who>,
    /// Nanoseconds of the last commit in which the thread held a lock.
    last_lock_ns: u64,
    /// Times of its work and waits by the index of the cause.
    work: Vec<u64>,
}

impl WaitedForTotals {
    /// Adds the segments of a commit of the thread `own`, the last one of `stacks`.
    ///
    /// A long wait for a lock may end by its time-out again and again, as in MariaDB. Only its last part then has the holder's
    /// thread. The parts before it are counted for the holder, too.
    pub(super) fn add(&mut self, own: Tid, segments: &[Segment], stacks: &StackIndex, timelines: &Timelines) {
        self.commits += 1;
        let is_lock = |&(segment, _): &(&Segment, usize)| segment.cause.wait.is_lock();
        // Most commits wait for none.
        let has_lock = stacks
            .times()
            .iter()
            .any(|time| stacks.causes()[time.cause].wait.is_lock());
        let mut before: Vec<(&Segment, usize)> = Vec::new();
        let mut numbered = stacks.numbered(segments);
        for run in segments.chunk_by(|one, next| one.tid == next.tid) {
            let tid = run[0].tid;
            let run_numbered = numbered.by_ref().take(run.len());
            if tid == own {
                before.extend(run_numbered.filter(|one| has_lock && is_lock(one)));
                continue;
            }
            let total = self.threads.or_default(tid);
            if total.last_commit != self.commits {
                total.last_commit = self.commits;
                total.last_lock_ns = 0;
                total.time.commits += 1;
            }
            let held = match run[0].cause.who {
                Who::Session => std::mem::take(&mut before),
                _ => Vec::new(),
            };
            for (segment, stack) in held.into_iter().chain(run_numbered) {
                if has_lock && segment.cause.wait.is_lock() {
                    total.add_lock(segment.range.length_ns());
                    total.time.idle += timelines.idle_ns(tid, segment.range);
                }
                total.add(segment, stacks.stacks()[stack].cause, tid);
            }
        }
        if self.threads.len() > MOST_COUNTED {
            self.forget_half();
        }
    }

    /// Moves the threads of the shortest times to the others.
    fn forget_half(&mut self) {
        let times = self.threads.iter().map(|(tid, total)| (total.time.ns, tid));
        let mut times: Vec<(u64, Tid)> = times.collect();
        times.sort_unstable();
        let middle = times[times.len() / 2];
        let short = self.threads.extract(|tid, total| (total.time.ns, tid) < middle);
        for (_, total) in short {
            self.other_threads += 1;
            self.other_ns += total.time.ns;
        }
    }

    /// Returns the result. The causes are those of the stacks.
    pub(super) fn finish(&self, causes: &[Cause]) -> WaitedFor {
        let times = self.threads.iter();
        let times = times.map(|(tid, total)| ThreadTime {
            tid,
            did: total.did(causes),
            ..total.time.clone()
        });
        let mut threads: Vec<ThreadTime> = times.collect();
        threads.sort_by_key(|time| (Reverse(time.ns), time.tid));
        let others = threads.split_off(threads.len().min(MOST_LISTED));
        WaitedFor {
            threads,
            other_threads: self.other_threads + others.len() as u64,
            other_ns: self.other_ns + others.iter().map(|time| time.ns).sum::<u64>(),
        }
    }
}

impl Total {
    /// Adds a part of the last commit in which the thread held a lock.
    fn add_lock(&mut self, ns: u64) {
        self.time.lock += ns;
        self.time.lock_commits += u64::from(self.last_lock_ns == 0);
        self.last_lock_ns += ns;
        self.time.longest_lock = self.time.longest_lock.max(self.last_lock_ns);
    }

    /// Adds a segment in which a commit waited for the thread `tid`, with the index of its cause.
    fn add(&mut self, segment: &Segment, cause: usize, tid: Tid) {
        let who = match segment.tid == tid {
            true => segment.cause.who,
            false => Who::Session,
        };
        self.time.ns += segment.range.length_ns();
        if self.last_who.replace(who) != Some(who) {
            self.time.who.insert(who);
        }
        add_ns(&mut self.work, cause, segment.range.length_ns());
    }

    /// Returns what the thread did, whatever it was for the commits, the longest first.
    fn did(&self, causes: &[Cause]) -> Vec<ThreadWork> {
        let mut work = BTreeMap::<Cause, u64>::new();
        for (&cause, &ns) in causes.iter().zip(&self.work).filter(|&(_, &ns)| ns > 0) {
            let who = Who::Own;
            *work.entry(Cause { who, ..cause }).or_default() += ns;
        }
        let mut work: Vec<(Cause, u64)> = work.into_iter().collect();
        work.sort_by_key(|&(cause, ns)| (Reverse(ns), cause));
        let work = work.into_iter().take(MOST_WORKS);
        let work = work.map(|(cause, ns)| ThreadWork {
            words: cause.words(),
            ns,
        });
        work.collect()
    }
}

impl WaitedFor {
    /// Returns the nanoseconds for which commits waited for other threads.
    pub fn total_ns(&self) -> u64 {
        let listed = self.threads.iter().map(|time| time.ns);
        listed.fold(self.other_ns, u64::saturating_add)
    }
}

#[cfg(test)]
mod tests {
    use logtrace_common::TimeRange;
    use logtrace_events::{CpuWait, OffCpu, Wake};
    use proptest::prelude::*;

    use super::*;
    use crate::causes::Wait;

    /// System call of a thread that waits for its client.
    const RECVFROM: u16 = 45;

    /// Totals with the stacks of all commits.
    #[derive(Default)]
    struct WaitsOfCommits {
        totals: WaitedForTotals,
        stacks: StackIndex,
    }

    impl WaitsOfCommits {
        fn add(&mut self, own: Tid, segments: &[Segment], timelines: &Timelines) {
            self.stacks.sum(segments);
            self.totals.add(own, segments, &self.stacks, timelines);
        }

        fn finish(&self) -> WaitedFor {
            self.totals.finish(self.stacks.causes())
        }
    }

    fn segment(tid: Tid, who: Who, length_ns: u64) -> Segment {
        Segment {
            range: TimeRange::new(0, length_ns),
            tid,
            cause: Cause {
                who,
                ..Cause::own(Wait::OnCpu)
            },
            frames: None,
        }
    }

    #[test]
    fn a_thread_has_the_time_of_all_commits_that_waited_for_it() {
        let timelines = Timelines::new(1);
        let mut totals = WaitsOfCommits::default();
        let segments = [
            segment(1, Who::Own, 5),
            segment(2, Who::Leader, 10),
            segment(3, Who::Background, 7),
            segment(2, Who::Leader, 10),
        ];
        totals.add(1, &segments, &timelines);
        totals.add(4, &[segment(2, Who::PreviousGroup, 1)], &timelines);
        totals.add(2, &[segment(2, Who::Own, 100)], &timelines);
        let found = totals.finish();
        let rows: Vec<_> = found
            .threads
            .iter()
            .map(|one| (one.tid, one.ns, one.commits))
            .collect();
        assert_eq!(rows, [(2, 21, 2), (3, 7, 1)]);
        assert_eq!(
            found.threads[0].who,
            BTreeSet::from([Who::Leader, Who::PreviousGroup])
        );
        assert_eq!((found.other_threads, found.total_ns()), (0, 28));
        let work = |words: &str, ns| ThreadWork {
            words: words.to_owned(),
            ns,
        };
        assert_eq!(found.threads[0].did, [work("on CPU", 21)]);
        let text = serde_json::to_string(&found).unwrap();
        assert_eq!(serde_json::from_str::<WaitedFor>(&text).unwrap(), found);
    }

    #[test]
    fn a_lock_that_is_held_while_the_client_is_idle_is_told() {
        let mut timelines = Timelines::new(1);
        let idle = OffCpu {
            tid: 7,
            out_ns: 20,
            in_ns: 80,
            wake: Wake::Unknown,
            syscall: Some(RECVFROM),
            stack: None,
            cpu_wait: CpuWait::Unknown,
        };
        timelines.push_off_cpu(&idle).unwrap();
        let mut held = segment(7, Who::Session, 100);
        held.cause.wait = Wait::CommitLock;
        let timed_out = Segment { tid: 1, ..held };
        // The wait of its own thread ended by its time-out.
        for first in [held, timed_out] {
            let mut totals = WaitsOfCommits::default();
            totals.add(1, &[first, segment(7, Who::Session, 9)], &timelines);
            let found = totals.finish();
            let thread = &found.threads[0];
            assert_eq!(
                (thread.tid, thread.ns, thread.lock, thread.idle),
                (7, 109, 100, 60)
            );
            totals.add(1, &[held, segment(1, Who::Own, 5), held], &timelines);
            totals.add(1, &[held], &timelines);
            let thread = &totals.finish().threads[0];
            assert_eq!(
                (thread.lock, thread.lock_commits, thread.longest_lock),
                (400, 3, 200)
            );
            let words: Vec<&str> = thread.did.iter().map(|work| work.words.as_str()).collect();
            assert_eq!(words, ["commit lock", "on CPU"]);
            assert_eq!(thread.who, BTreeSet::from([Who::Session]));
        }
    }

    #[test]
    fn threads_without_end_take_bounded_memory_and_lose_no_time() {
        let timelines = Timelines::new(1);
        let mut totals = WaitsOfCommits::default();
        let threads = 5 * MOST_COUNTED as u32;
        for tid in 1..=threads {
            totals.add(
                0,
                &[segment(tid, Who::Session, 3), segment(u32::MAX, Who::Leader, 50)],
                &timelines,
            );
            assert!(totals.totals.threads.len() <= MOST_COUNTED);
        }
        let found = totals.finish();
        assert_eq!(
            (found.threads[0].tid, found.threads[0].commits),
            (u32::MAX, threads.into())
        );
        assert_eq!(found.total_ns(), 53 * u64::from(threads));
        assert_eq!(found.other_threads, u64::from(threads) + 1 - MOST_LISTED as u64);
    }

    proptest! {
        #[test]
        fn all_time_of_other_threads_counts_once(
            commits in proptest::collection::vec((0..40_u32, proptest::collection::vec((0..40_u32, 1..1_000_u64), 0..9)), 0..60),
        ) {
            let timelines = Timelines::new(1);
            let mut totals = WaitsOfCommits::default();
            let mut expected = 0;
            for (own, parts) in &commits {
                let segments: Vec<_> = parts.iter().map(|&(tid, ns)| segment(tid, Who::Leader, ns)).collect();
                totals.add(*own, &segments, &timelines);
                expected += parts.iter().filter(|(tid, _)| tid != own).map(|(_, ns)| ns).sum::<u64>();
            }
            let found = totals.finish();
            prop_assert_eq!(found.total_ns(), expected);
            prop_assert!(found.threads.len() <= MOST_LISTED);
            prop_assert!(found.threads.is_sorted_by_key(|one| Reverse(one.ns)));
        }
    }
}
