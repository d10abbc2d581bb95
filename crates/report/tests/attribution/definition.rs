//! What a nanosecond of a commit is charged to, written down as plainly as possible, and that [`explain`] agrees.
//!
//! This asks for one nanosecond at a time and searches all records each time, where the program walks intervals.

use std::collections::BTreeMap;

use logtrace_events::{Commit, FileClass, Io, OffCpu, Record, Tid, Wake};
use logtrace_report::cause::{Cause, Wait, Who};
use logtrace_report::explain::explain;
use logtrace_report::timelines::Timelines;
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;

use crate::schedule::{self, SERVER};

struct Seen<'a> {
    records: &'a [Record],
    committer: Tid,
}

impl Seen<'_> {
    fn cause_at(&self, tid: Tid, ns: u64, commit_ns: Option<u64>, depth: u32) -> Cause {
        if depth > 256 || self.first_ns(tid).is_none_or(|first_ns| ns < first_ns) {
            return Cause::UNEXPLAINED;
        }
        let who = self.who(tid, ns, commit_ns);
        let io = self.io_at(tid, ns).map(|io| (FileClass::Other, io.op));
        let wait = match (self.off_at(tid, ns), io) {
            (None, _) => Wait::OnCpu,
            (Some(off), _) if runnable(off, ns) => Wait::RunQueue,
            (Some(off), Some(_)) => [Wait::JournalCommit, Wait::DeviceFlush]
                .get(off.stack.map_or(9, |id| id as usize))
                .copied()
                .unwrap_or(Wait::Unclassified),
            (Some(off), None) => match off.wake {
                Wake::By {
                    tgid: SERVER,
                    syscall: Some(_),
                    ..
                } => return self.cause_by(off.wake, ns, depth + 1),
                wake => ended_by(wake, off.syscall),
            },
        };
        if wait == Wait::Unexplained {
            Cause::UNEXPLAINED
        } else {
            Cause { who, io, wait }
        }
    }

    /// The cause of a wait that a thread of the server ended.
    fn cause_by(&self, wake: Wake, ns: u64, depth: u32) -> Cause {
        let Wake::By {
            at_ns,
            tid,
            commit_ns,
            ..
        } = wake
        else {
            return Cause::UNEXPLAINED;
        };
        let Some(joined_ns) = commit_ns.filter(|&joined_ns| ns < joined_ns && depth <= 256) else {
            return self.cause_at(tid, ns, commit_ns, depth);
        };
        let mut wakes = self
            .offs(tid)
            .filter(|off| joined_ns <= off.out_ns && off.out_ns < at_ns)
            .filter(|off| self.io_at(tid, off.out_ns).is_none())
            .map(|off| off.wake);
        let ahead = wakes.find(|wake| match *wake {
            Wake::By {
                at_ns: woken_ns,
                tgid,
                syscall,
                ..
            } => tgid == SERVER && syscall.is_some() && woken_ns < at_ns,
            _ => false,
        });
        match ahead {
            Some(wake) => self.cause_by(wake, ns, depth + 1),
            None => self.cause_at(tid, ns, commit_ns, depth),
        }
    }

    fn who(&self, tid: Tid, ns: u64, commit_ns: Option<u64>) -> Who {
        let in_commit = self
            .commits(tid)
            .any(|commit| commit.start_ns <= ns && ns < commit.end_ns);
        if tid == self.committer {
            Who::Own
        } else if in_commit || commit_ns.is_some_and(|start_ns| start_ns <= ns) {
            Who::Leader
        } else if self.commits(tid).next().is_some() || self.offs(tid).any(|off| off.syscall == Some(45)) {
            Who::Session
        } else {
            Who::Background
        }
    }

    fn first_ns(&self, tid: Tid) -> Option<u64> {
        let offs = self.offs(tid).map(|off| off.out_ns);
        let commits = self.commits(tid).map(|commit| commit.start_ns);
        offs.chain(commits)
            .chain(self.ios(tid).map(|io| io.enter_ns))
            .min()
    }

    fn off_at(&self, tid: Tid, ns: u64) -> Option<&OffCpu> {
        self.offs(tid).find(|off| off.out_ns <= ns && ns < off.in_ns)
    }

    fn io_at(&self, tid: Tid, ns: u64) -> Option<&Io> {
        self.ios(tid).find(|io| io.enter_ns <= ns && ns < io.exit_ns)
    }

    fn offs(&self, tid: Tid) -> impl Iterator<Item = &OffCpu> {
        self.records.iter().filter_map(move |record| match record {
            Record::OffCpu(off) if off.tid == tid => Some(off),
            _ => None,
        })
    }

    fn ios(&self, tid: Tid) -> impl Iterator<Item = &Io> {
        self.records.iter().filter_map(move |record| match record {
            Record::Io(io) if io.tid == tid => Some(io),
            _ => None,
        })
    }

    fn commits(&self, tid: Tid) -> impl Iterator<Item = &Commit> {
        self.records.iter().filter_map(move |record| match record {
            Record::Commit(commit) if commit.tid == tid => Some(commit),
            _ => None,
        })
    }
}

fn runnable(off: &OffCpu, ns: u64) -> bool {
    match off.wake {
        Wake::Preempted => true,
        Wake::By { at_ns, .. } => at_ns <= ns,
        Wake::Unknown => false,
    }
}

fn ended_by(wake: Wake, blocked_in: Option<u16>) -> Wait {
    match (wake, blocked_in) {
        (Wake::By { syscall: None, .. }, Some(202)) | (_, Some(230)) => Wait::Timer,
        (_, Some(1 | 18 | 74 | 75)) => Wait::FileIo,
        (_, Some(45)) => Wait::Client,
        (_, Some(208)) => Wait::AsyncIo,
        _ => Wait::Unexplained,
    }
}

/// The causes of each nanosecond of the commit, by the program.
fn charged(timelines: &Timelines, commit: &Commit) -> Vec<Cause> {
    let mut segments = Vec::new();
    explain(commit, timelines, &mut segments);
    let mut at_ns = commit.start_ns;
    let mut causes = Vec::new();
    for segment in segments {
        assert_eq!(segment.start_ns, at_ns, "a gap or an overlap");
        assert!(segment.end_ns > at_ns, "an empty segment");
        causes.extend((at_ns..segment.end_ns).map(|_| segment.cause));
        at_ns = segment.end_ns;
    }
    assert_eq!(at_ns, commit.end_ns, "the segments do not reach the end");
    causes
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    #[test]
    fn every_nanosecond_of_a_random_schedule_is_charged_as_defined(records in schedule::records()) {
        let mut timelines = Timelines::new(SERVER);
        for (at, record) in records.iter().enumerate() {
            let taken = match record {
                Record::OffCpu(off) => timelines.push_off_cpu(off),
                Record::Io(io) => timelines.push_io(io, FileClass::Other),
                Record::Stack(stack) => timelines.push_stack(stack.clone()),
                Record::Commit(commit) => timelines.push_commit(commit),
                Record::Flush(flush) => timelines.push_flush(*flush),
                Record::File(_) | Record::Gap(_) => Ok(()),
            };
            prop_assert_eq!(taken, Ok(()), "{:?}", record);
            if let Record::Commit(commit) = record {
                let seen = Seen { records: &records[..=at], committer: commit.tid };
                let defined: Vec<Cause> = (commit.start_ns..commit.end_ns)
                    .map(|ns| seen.cause_at(commit.tid, ns, None, 0))
                    .collect();
                prop_assert_eq!(charged(&timelines, commit), defined);
            }
        }
    }
}

#[test]
fn random_schedules_reach_every_kind_of_cause() {
    let mut runner = TestRunner::deterministic();
    let mut reached: BTreeMap<(Who, Wait), u64> = BTreeMap::new();
    for _ in 0..300 {
        let records = schedule::records().new_tree(&mut runner).unwrap().current();
        let mut analysis = schedule::analysis();
        records.into_iter().for_each(|record| analysis.push(record));
        for row in analysis.finish().causes {
            *reached.entry((row.cause.who, row.cause.wait)).or_default() += row.commits;
        }
    }
    for who in [Who::Own, Who::Leader, Who::Session] {
        for wait in [
            Wait::OnCpu,
            Wait::RunQueue,
            Wait::JournalCommit,
            Wait::DeviceFlush,
            Wait::Unclassified,
        ] {
            assert!(
                reached.contains_key(&(who, wait)),
                "{who} {wait} not in {reached:?}"
            );
        }
    }
    for wait in [Wait::Timer, Wait::Client, Wait::AsyncIo, Wait::Unexplained] {
        assert!(
            reached.contains_key(&(Who::Own, wait)),
            "{wait} not in {reached:?}"
        );
    }
    assert!(
        reached.contains_key(&(Who::Background, Wait::OnCpu)),
        "{reached:?}"
    );
}
