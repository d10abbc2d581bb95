//! Records that were dropped, repeated, cut off, reordered or are nonsense: sums stay exact, and nothing panics.

use logtrace_attribution::breakdown::Breakdown;
use logtrace_common::TimeRange;
use logtrace_events::{
    AsyncCommit, Commit, CpuWait, FileId, Flush, FlushStage, Io, IoOp, Member, OffCpu, QueueEntry, Record,
    Statement, Wake,
};
use proptest::prelude::*;

use super::over_time;
use super::schedule::{self, SERVER};

#[derive(Clone, Copy, Debug)]
pub(crate) enum Damage {
    Drop,
    Repeat,
    SwapWithNext,
    CutHere,
}

pub(crate) fn damages() -> impl Strategy<Value = Vec<(prop::sample::Index, Damage)>> {
    let damage = prop_oneof![
        4 => Just(Damage::Drop),
        4 => Just(Damage::Repeat),
        4 => Just(Damage::SwapWithNext),
        1 => Just(Damage::CutHere),
    ];
    proptest::collection::vec((any::<prop::sample::Index>(), damage), 1..20)
}

pub(crate) fn damaged(mut records: Vec<Record>, damages: Vec<(prop::sample::Index, Damage)>) -> Vec<Record> {
    for (index, damage) in damages {
        if records.is_empty() {
            break;
        }
        let at = index.index(records.len());
        match damage {
            Damage::Drop => drop(records.remove(at)),
            Damage::Repeat => records.insert(at, records[at].clone()),
            Damage::SwapWithNext if at + 1 < records.len() => records.swap(at, at + 1),
            Damage::SwapWithNext => {}
            Damage::CutHere => records.truncate(at),
        }
    }
    records
}

/// Any times at all, as long as each record by itself is what the decoder lets through.
pub(crate) fn nonsense() -> impl Strategy<Value = Record> {
    let time = || prop_oneof![0u64..200, any::<u64>()];
    (time(), time(), time(), 0u32..3, 0u32..3, any::<u8>()).prop_map(|(a, b, c, tid, waker, kind)| {
        let mut times = [a, b, c];
        times.sort_unstable();
        let [first, middle, last] = times;
        match kind % 7 {
            4 | 5 => stated(kind, [tid, waker], times),
            6 => Record::Gap(TimeRange::new(first, middle)),
            0 => Record::Commit(Commit {
                tid,
                start_ns: first,
                end_ns: last,
            }),
            1 => Record::Flush(Flush {
                dev: tid,
                issue_ns: first,
                done_ns: last,
            }),
            2 => Record::Io(Io {
                tid,
                enter_ns: first,
                exit_ns: last,
                file: FileId {
                    dev: 0,
                    ino: 0,
                    generation: 0,
                },
                op: IoOp::Write,
                ret: i64::MAX,
            }),
            _ => Record::OffCpu(OffCpu {
                tid,
                out_ns: first,
                in_ns: last,
                wake: Wake::By {
                    at_ns: middle,
                    tid: waker,
                    tgid: SERVER,
                    commit_ns: (kind % 2 == 0).then_some(a),
                    syscall: Some(202),
                },
                syscall: Some(202),
                stack: None,
                cpu_wait: CpuWait::Unknown,
            }),
        }
    })
}

/// What a server could state of groups.
fn stated(kind: u8, [tid, leader]: [u32; 2], [first, middle, last]: [u64; 3]) -> Record {
    match (kind % 7, kind % 2) {
        (4, _) => Record::Member(Member {
            tid,
            leader,
            leader_commit_ns: kind.is_multiple_of(4).then_some(first),
            entered_ns: middle,
            at_ns: last,
        }),
        (5, _) => Record::AsyncCommit(AsyncCommit {
            commit: Commit {
                tid,
                start_ns: first,
                end_ns: last,
            },
            returned_ns: middle,
            waker: leader,
            waker_commit_ns: Some(middle),
        }),
        (6, _) => Record::Statement(Statement {
            tid,
            start_ns: first,
            end_ns: middle,
            at_ns: last,
        }),
        (3, _) => Record::CommitReturn(Commit {
            tid,
            start_ns: first,
            end_ns: last,
        }),
        (_, 0) => Record::QueueEntry(QueueEntry { tid, at_ns: last }),
        _ => Record::FlushStage(FlushStage {
            tid,
            at_ns: last,
            commit_ns: Some(first),
        }),
    }
}

fn analysed(records: Vec<Record>) -> Breakdown {
    let mut analysis = schedule::analysis();
    for record in records {
        analysis.push(record);
    }
    analysis.finish()
}

pub(crate) fn sums_are_exact(breakdown: &Breakdown) -> Result<(), TestCaseError> {
    let by_cause: u64 = breakdown.causes.iter().map(|cause| cause.total).sum();
    prop_assert_eq!(by_cause, breakdown.commits.total);
    let by_stack: u64 = breakdown.stacks.commit.iter().map(|stack| stack.total_ns).sum();
    prop_assert_eq!(by_stack, breakdown.commits.total);
    let slowest: u64 = breakdown.causes.iter().map(|cause| cause.slowest).sum();
    prop_assert_eq!(slowest, breakdown.commits.slowest_total);
    prop_assert_eq!(
        breakdown.commits.per_second.iter().sum::<u64>(),
        breakdown.commits.count
    );
    prop_assert_eq!(breakdown.invariant_violations, 0);
    groups_are_within_the_commits(breakdown)?;
    over_time::is_exact(breakdown)?;
    Ok(())
}

fn groups_are_within_the_commits(breakdown: &Breakdown) -> Result<(), TestCaseError> {
    let commits = breakdown.commits.count;
    let Some(groups) = &breakdown.groups else {
        return Ok(());
    };
    prop_assert!(
        groups.sizes.iter().sum::<u64>() <= commits,
        "a leader leads one group a commit"
    );
    prop_assert!(groups.merged <= groups.sizes.iter().sum());
    prop_assert!(groups.led <= commits && groups.disagreements.commits <= groups.led);
    prop_assert!(groups.disagreements.total <= breakdown.commits.total);
    Ok(())
}

fn commits(records: &[Record]) -> (u64, u64) {
    let lengths = records.iter().filter_map(|record| match record {
        Record::Commit(commit) => Some(commit.end_ns - commit.start_ns),
        _ => None,
    });
    lengths.fold((0, 0), |(count, total_ns), length_ns| {
        (count + 1, total_ns + length_ns)
    })
}

proptest! {
    #[test]
    fn a_whole_stream_loses_nothing(records in schedule::records()) {
        let (count, total_ns) = commits(&records);
        let breakdown = analysed(records);
        sums_are_exact(&breakdown)?;
        prop_assert_eq!((breakdown.commits.count, breakdown.commits.total), (count, total_ns));
        prop_assert_eq!(breakdown.unmatched, 0);
    }

    #[test]
    fn a_damaged_stream_keeps_its_sums(records in schedule::records(), damages in damages()) {
        sums_are_exact(&analysed(damaged(records, damages)))?;
    }

    #[test]
    fn a_repeated_commit_counts_once(records in schedule::records()) {
        let (count, total_ns) = commits(&records);
        let lasting = |record: &Record| matches!(record, Record::Commit(commit) if commit.start_ns < commit.end_ns);
        let twice = |record: Record| if lasting(&record) { vec![record.clone(), record] } else { vec![record] };
        let repeats = records.iter().filter(|record| lasting(record)).count() as u64;
        let breakdown = analysed(records.into_iter().flat_map(twice).collect());
        prop_assert_eq!((breakdown.commits.count, breakdown.commits.total), (count, total_ns));
        prop_assert_eq!(breakdown.unmatched, repeats);
    }

    #[test]
    fn nonsense_keeps_its_sums(records in proptest::collection::vec(nonsense(), 0..60)) {
        sums_are_exact(&analysed(records))?;
    }
}
