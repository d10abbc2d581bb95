//! What a nanosecond of a commit is charged to, written down as plainly as possible, and that [`explain`] agrees.
//!
//! This asks for one nanosecond at a time and searches all records each time, where the program walks intervals.

use std::collections::BTreeMap;

use logtrace_attribution::cause::{Cause, Wait, Who};
use logtrace_attribution::explain::{Memory, explain};
use logtrace_attribution::timelines::Timelines;
use logtrace_events::{Commit, Io, OffCpu, Record, Tid, Wake};
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;

use super::schedule::{self, SERVER, push};
use super::stated::{self, Place};

struct Seen<'a> {
    records: &'a [Record],
    places: Vec<Place>,
    committer: Tid,
}

/// How one came to a thread.
#[derive(Clone, Copy)]
struct Way {
    depth: u32,
    /// How many statements count from here on.
    statements: u32,
}

impl Way {
    fn further(self) -> Self {
        Self {
            depth: self.depth + 1,
            ..self
        }
    }
}

impl Seen<'_> {
    /// The cause of a nanosecond of the commit that is explained.
    fn cause(&self, commit: &Commit, ns: u64) -> Cause {
        let way = Way {
            depth: 0,
            statements: 16,
        };
        let (tid, cause) = self.cause_at(commit.tid, ns, None, way);
        if tid != commit.tid && cause.io.is_none() && cause.wait == Wait::Client {
            return Cause::UNEXPLAINED;
        }
        let own = stated::at(&self.places, commit.tid, commit.end_ns - 1);
        let own = own.filter(|own| own.entered_ns <= ns);
        let head = |place: Option<Place>| stated::head(&self.places, place?);
        let heads = head(own).zip(head(stated::at(&self.places, tid, ns)));
        match heads {
            Some((own, theirs)) if cause.who == Who::Leader && own != theirs => Cause {
                who: Who::PreviousGroup,
                ..cause
            },
            _ => cause,
        }
    }

    /// The same on the way there, with the thread where the way ends.
    fn cause_at(&self, tid: Tid, ns: u64, commit_ns: Option<u64>, way: Way) -> (Tid, Cause) {
        let unexplained = (self.committer, Cause::UNEXPLAINED);
        if way.depth > 256 || self.first_ns(tid).is_none_or(|first_ns| ns < first_ns) {
            return unexplained;
        }
        let who = self.who(tid, ns, commit_ns);
        let io = self.io_at(tid, ns).map(|io| (schedule::class(io), io.op));
        let wait = match (self.off_at(tid, ns), io) {
            (None, _) => Wait::OnCpu,
            (Some(off), _) if runnable(off, ns) => Wait::RunQueue,
            (Some(off), Some(_)) => by_stack(off).unwrap_or(Wait::Unclassified),
            (Some(off), None) => match off.wake {
                Wake::By {
                    tgid: SERVER,
                    syscall: Some(_),
                    ..
                } => {
                    let (wake, way) = self.ended(tid, off, ns, way);
                    return self.cause_by(wake, ns, way.further());
                }
                wake => by_stack(off).unwrap_or_else(|| ended_by(wake, off)),
            },
        };
        if wait == Wait::Unexplained {
            unexplained
        } else {
            (tid, Cause { who, io, wait })
        }
    }

    /// What ended a wait: the wake-up or, where the server says who led then, its leader. And how the way goes on.
    fn ended(&self, tid: Tid, off: &OffCpu, ns: u64, way: Way) -> (Wake, Way) {
        let Wake::By {
            at_ns, tid: waker, ..
        } = off.wake
        else {
            return (off.wake, way);
        };
        if way.statements == 0 {
            return (off.wake, way);
        }
        let mut leader = self.leader(tid, off);
        for _ in 0..4 {
            let Some(of) = leader else { break };
            let next = stated::at(&self.places, of.tid, of.since_ns).and_then(|place| place.leader);
            if ns < self.leads_until_ns(of, next, (waker, at_ns)) {
                let wake = Wake::By {
                    at_ns,
                    tid: of.tid,
                    tgid: SERVER,
                    commit_ns: of.commit_ns,
                    syscall: Some(202),
                };
                let statements = way.statements - 1;
                return (wake, Way { statements, ..way });
            }
            leader = next;
        }
        let head = |tid, ns| stated::head(&self.places, stated::at(&self.places, tid, ns)?);
        let heads = head(tid, off.out_ns).zip(head(waker, at_ns));
        let turns_back = heads.is_some_and(|((_, own_ns), (_, theirs_ns))| own_ns <= theirs_ns);
        let statements = if turns_back { 0 } else { way.statements };
        (off.wake, Way { statements, ..way })
    }

    fn leads_until_ns(
        &self,
        leader: stated::Leader,
        next: Option<stated::Leader>,
        (waker, woken_ns): (Tid, u64),
    ) -> u64 {
        let commits = self.commits(leader.tid);
        let mut commits = commits.filter(|commit| commit.start_ns < commit.end_ns);
        let commit = commits.find(|commit| leader.commit_ns == Some(commit.start_ns));
        match (next, commit) {
            (Some(next), _) => next.since_ns,
            (None, Some(commit)) => commit.end_ns,
            (None, None) if leader.tid == waker => woken_ns,
            (None, None) => self.last_ns(leader.tid),
        }
    }

    /// The end of the last that is known of a thread; 0 for nothing.
    fn last_ns(&self, tid: Tid) -> u64 {
        let offs = self.offs(tid).map(|off| off.in_ns);
        let commits = self.commits(tid).map(|commit| commit.end_ns);
        let ends = offs.chain(commits).chain(self.ios(tid).map(|io| io.exit_ns));
        ends.max().unwrap_or(0)
    }

    /// Who led a thread first when it began to wait.
    fn leader(&self, tid: Tid, off: &OffCpu) -> Option<stated::Leader> {
        let place = stated::at(&self.places, tid, off.out_ns)?;
        let leader = place.leader.filter(|leader| leader.since_ns <= off.out_ns)?;
        let own = stated::head(&self.places, place);
        let waits = self.offs(tid).filter(|wait| {
            let is_in_place = place.entered_ns <= wait.out_ns && wait.out_ns < place.end_ns;
            is_in_place && self.io_at(tid, wait.out_ns).is_none()
        });
        let by_heads = waits.filter_map(|wait| match wait.wake {
            Wake::By {
                at_ns,
                tid,
                tgid: SERVER,
                syscall: Some(_),
                ..
            } => stated::at(&self.places, tid, at_ns)
                .filter(|waker| waker.leader.is_none() && stated::head(&self.places, *waker) == own)
                .map(|_| at_ns),
            _ => None,
        });
        let released_ns = by_heads.max().unwrap_or(u64::MAX);
        (off.out_ns < released_ns).then_some(leader)
    }

    /// The cause of a wait that a thread of the server ended.
    fn cause_by(&self, wake: Wake, ns: u64, way: Way) -> (Tid, Cause) {
        let Wake::By {
            at_ns,
            tid,
            commit_ns,
            ..
        } = wake
        else {
            return (self.committer, Cause::UNEXPLAINED);
        };
        // Found once: twice on each step of the way would take exponential time.
        let outside = commit_ns.is_none().then(|| self.cause_at(tid, ns, None, way));
        let own = || outside.unwrap_or_else(|| self.cause_at(tid, ns, commit_ns, way));
        let absent_until_ns = match commit_ns {
            Some(entered_ns) => Some(entered_ns).filter(|&entered_ns| ns < entered_ns),
            None => {
                let (_, Cause { who, io, wait }) = own();
                let is_sleep =
                    who == Who::Background && io.is_none() && matches!(wait, Wait::Timer | Wait::TimedWait);
                (is_sleep && !self.serves_connection(tid)).then_some(ns + 1)
            }
        };
        let Some(entered_ns) = absent_until_ns.filter(|_| way.depth <= 256) else {
            return own();
        };
        let mut wakes = self
            .offs(tid)
            .filter(|off| entered_ns <= off.out_ns && off.out_ns < at_ns)
            .filter(|off| self.io_at(tid, off.out_ns).is_none())
            .map(|off| off.wake);
        let ahead = wakes.find(|wake| match *wake {
            Wake::By {
                at_ns: woken_ns,
                tgid,
                syscall,
                tid,
                ..
            } => {
                let may_be_waited_for = commit_ns.is_some() || self.serves_connection(tid);
                tgid == SERVER && syscall.is_some() && woken_ns < at_ns && may_be_waited_for
            }
            _ => false,
        });
        match ahead {
            Some(wake) => self.cause_by(wake, ns, way.further()),
            None => own(),
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
        } else if self.serves_connection(tid) {
            Who::Session
        } else {
            Who::Background
        }
    }

    fn serves_connection(&self, tid: Tid) -> bool {
        self.commits(tid).next().is_some()
            || self
                .offs(tid)
                .any(|off| off.syscall == Some(45) && off.stack.is_none())
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

/// The wait that the stack shows: 0 waits for the journal, 1 for the device, and 2 has no rule.
fn by_stack(off: &OffCpu) -> Option<Wait> {
    let waits = [Wait::JournalCommit, Wait::DeviceFlush];
    waits.get(usize::try_from(off.stack?).ok()?).copied()
}

fn ended_by(wake: Wake, off: &OffCpu) -> Wait {
    match (wake, off.syscall) {
        // A read that no signal ends is no wait for a client; 45 is no read of a file.
        (_, Some(45)) if off.stack.is_some() => Wait::Unexplained,
        (Wake::By { syscall: None, .. }, Some(202)) => Wait::TimedWait,
        (_, Some(230)) => Wait::Timer,
        (_, Some(1 | 18 | 74 | 75)) => Wait::FileIo,
        (_, Some(45)) => Wait::Client,
        (_, Some(208)) => Wait::AsyncIo,
        _ => Wait::Unexplained,
    }
}

/// The causes of each nanosecond of the commit, by the program.
fn charged(timelines: &Timelines, commit: &Commit) -> Vec<Cause> {
    let mut segments = Vec::new();
    explain(commit, timelines, &mut Memory::beyond(u32::MAX), &mut segments);
    let mut at_ns = commit.start_ns;
    let mut causes = Vec::new();
    for segment in segments {
        assert_eq!(segment.range.start_ns, at_ns, "a gap or an overlap");
        assert!(segment.range.end_ns > at_ns, "an empty segment");
        causes.extend((at_ns..segment.range.end_ns).map(|_| segment.cause));
        at_ns = segment.range.end_ns;
    }
    assert_eq!(at_ns, commit.end_ns, "the segments do not reach the end");
    causes
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4096))]

    #[test]
    fn every_nanosecond_of_a_random_schedule_is_charged_as_defined(records in schedule::records()) {
        let mut timelines = Timelines::new(SERVER);
        for (at, record) in records.iter().enumerate() {
            let taken = push(&mut timelines, record);
            prop_assert_eq!(taken, Ok(()), "{:?}", record);
            if let Record::Commit(commit) = record {
                let records = &records[..=at];
                let seen = Seen { records, places: stated::places(records), committer: commit.tid };
                let defined: Vec<Cause> = (commit.start_ns..commit.end_ns)
                    .map(|ns| seen.cause(commit, ns))
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
    let (mut merged, mut led, mut disagreeing) = (0, 0, 0);
    for _ in 0..1_000 {
        let records = schedule::records().new_tree(&mut runner).unwrap().current();
        let mut analysis = schedule::analysis();
        analysis.explain_statements();
        records.into_iter().for_each(|record| analysis.push(record));
        let breakdown = analysis.finish();
        if let Some(groups) = &breakdown.groups {
            merged += groups.merged;
            led += groups.led;
            disagreeing += groups.disagreements.commits;
        }
        for row in breakdown.causes {
            *reached.entry((row.cause.who, row.cause.wait)).or_default() += row.commits;
        }
    }
    for who in [Who::Own, Who::Leader, Who::Session] {
        let io = [Wait::JournalCommit, Wait::DeviceFlush, Wait::Unclassified];
        for wait in [Wait::OnCpu, Wait::RunQueue].into_iter().chain(io) {
            let is_reached = reached.contains_key(&(who, wait));
            assert!(is_reached, "{who} {wait} not in {reached:?}");
        }
    }
    for wait in [Wait::OnCpu, Wait::RunQueue] {
        let in_front = (Who::PreviousGroup, wait);
        assert!(reached.contains_key(&in_front), "{wait} not in {reached:?}");
    }
    assert!(
        merged > 0 && led > disagreeing && disagreeing > 0,
        "{merged}, {led}, {disagreeing}"
    );
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
