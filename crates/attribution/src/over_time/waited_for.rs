//! Threads that commits waited for.

use std::cmp::Reverse;
use std::collections::BTreeSet;

use logtrace_events::Tid;
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

use crate::causes::cause::Who;
use crate::charging::segment::Segment;

/// Most threads that are listed.
const MOST_LISTED: usize = 16;

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
}

/// Times by thread while a run goes on.
#[derive(Debug, Default)]
pub(super) struct WaitedForTotals {
    commits: u64,
    threads: FxHashMap<Tid, Total>,
    other_threads: u64,
    other_ns: u64,
}

#[derive(Debug, Default)]
struct Total {
    time: ThreadTime,
    /// Number of the last commit that waited for the thread, and what the thread was for it.
    last_commit: u64,
    last_who: Option<Who>,
}

impl WaitedForTotals {
    /// Adds the segments of a commit of the thread `own`.
    pub(super) fn add(&mut self, own: Tid, segments: &[Segment]) {
        self.commits += 1;
        let runs = segments.chunk_by(|one, next| one.tid == next.tid);
        for run in runs.filter(|run| run[0].tid != own) {
            let total = self.threads.entry(run[0].tid).or_default();
            total.time.commits += u64::from(total.last_commit != self.commits);
            total.last_commit = self.commits;
            for segment in run {
                total.add(segment);
            }
        }
        if self.threads.len() > MOST_COUNTED {
            self.forget_half();
        }
    }

    /// Moves the threads of the shortest times to the others.
    fn forget_half(&mut self) {
        let times = self.threads.iter().map(|(&tid, total)| (total.time.ns, tid));
        let mut times: Vec<(u64, Tid)> = times.collect();
        times.sort_unstable();
        let middle = times[times.len() / 2];
        let short = self
            .threads
            .extract_if(|&tid, total| (total.time.ns, tid) < middle);
        for (_, total) in short {
            self.other_threads += 1;
            self.other_ns += total.time.ns;
        }
    }

    /// Returns the result.
    pub(super) fn finish(&self) -> WaitedFor {
        let times = self.threads.iter();
        let times = times.map(|(&tid, total)| ThreadTime {
            tid,
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
    fn add(&mut self, segment: &Segment) {
        let who = segment.cause.who;
        self.time.ns += segment.window.length_ns();
        if self.last_who.replace(who) != Some(who) {
            self.time.who.insert(who);
        }
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
    use proptest::prelude::*;

    use super::*;
    use crate::causes::cause::{Cause, Wait};

    fn segment(tid: Tid, who: Who, length_ns: u64) -> Segment {
        Segment {
            window: TimeRange::new(0, length_ns),
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
        let mut totals = WaitedForTotals::default();
        let segments = [
            segment(1, Who::Own, 5),
            segment(2, Who::Leader, 10),
            segment(3, Who::Background, 7),
            segment(2, Who::Leader, 10),
        ];
        totals.add(1, &segments);
        totals.add(4, &[segment(2, Who::PreviousGroup, 1)]);
        totals.add(2, &[segment(2, Who::Own, 100)]);
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
        let text = serde_json::to_string(&found).unwrap();
        assert_eq!(serde_json::from_str::<WaitedFor>(&text).unwrap(), found);
    }

    #[test]
    fn threads_without_end_take_bounded_memory_and_lose_no_time() {
        let mut totals = WaitedForTotals::default();
        let threads = 5 * MOST_COUNTED as u32;
        for tid in 1..=threads {
            totals.add(
                0,
                &[segment(tid, Who::Session, 3), segment(u32::MAX, Who::Leader, 50)],
            );
            assert!(totals.threads.len() <= MOST_COUNTED);
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
            let mut totals = WaitedForTotals::default();
            let mut expected = 0;
            for (own, parts) in &commits {
                let segments: Vec<_> = parts.iter().map(|&(tid, ns)| segment(tid, Who::Leader, ns)).collect();
                totals.add(*own, &segments);
                expected += parts.iter().filter(|(tid, _)| tid != own).map(|(_, ns)| ns).sum::<u64>();
            }
            let found = totals.finish();
            prop_assert_eq!(found.total_ns(), expected);
            prop_assert!(found.threads.len() <= MOST_LISTED);
            prop_assert!(found.threads.is_sorted_by_key(|one| Reverse(one.ns)));
        }
    }
}
