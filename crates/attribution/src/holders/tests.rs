//! Transactions of drawn groups of commits.

use logtrace_events::FileId;

use super::document::TransactionRow;
use super::*;
use crate::causes::Wait;

const MIB: u64 = 1 << 20;
const MS_NS: u64 = 1_000_000;

fn totals() -> HolderTotals {
    HolderTotals::new(TimeRange::new(0, 1_000 * MS_NS))
}

fn rows(totals: HolderTotals) -> Vec<TransactionRow> {
    totals.finish(&FrameNames::default()).transactions
}

fn io(tid: Tid, at_ms: u64, op: IoOp, bytes: u64) -> Io {
    Io {
        tid,
        enter_ns: at_ms * MS_NS,
        exit_ns: (at_ms + 1) * MS_NS,
        file: FileId {
            dev: 1,
            ino: 2,
            generation: 3,
        },
        op,
        ret: i64::try_from(bytes).unwrap(),
    }
}

fn member(tid: Tid, leader: Tid, at_ms: u64) -> Member {
    Member {
        tid,
        leader,
        leader_commit_ns: Some(at_ms * MS_NS),
        entered_ns: at_ms * MS_NS,
        at_ns: at_ms * MS_NS,
    }
}

fn waits(tid: Tid, who: Who, io: Option<(FileClass, IoOp)>, (from_ms, to_ms): (u64, u64)) -> Segment {
    Segment {
        range: TimeRange::new(from_ms * MS_NS, to_ms * MS_NS),
        tid,
        cause: Cause {
            who,
            io,
            wait: Wait::OnCpu,
        },
        frames: None,
    }
}

fn commit(totals: &mut HolderTotals, tid: Tid, (from_ms, to_ms): (u64, u64), segments: &[Segment]) {
    let mut stacks = StackIndex::default();
    stacks.sum(segments);
    totals.push_waits(tid, segments, &stacks);
    let range = TimeRange::new(from_ms * MS_NS, to_ms * MS_NS);
    totals.end(tid, range, (from_ms - 1) * MS_NS, true);
}

/// Threads 1, 2 and 3 commit as a group that 1 leads; 2 wrote 20 MiB before, and 4 waits for the group.
fn group_with_a_large_member() -> HolderTotals {
    let mut totals = totals();
    for part in 0..20 {
        totals.push_io(&io(2, 10 + part, IoOp::Write, MIB), FileClass::Temporary, || 0);
    }
    for tid in 1..=3 {
        totals.push_member(&member(tid, 1, 50));
    }
    let written = 20 * MIB + 1_000;
    totals.push_io(&io(1, 51, IoOp::Write, written), FileClass::Binlog, || 49 * MS_NS);
    totals.push_io(&io(1, 60, IoOp::Fsync, 0), FileClass::Binlog, || 49 * MS_NS);
    let write = Some((FileClass::Binlog, IoOp::Write));
    commit(
        &mut totals,
        3,
        (50, 62),
        &[waits(1, Who::Leader, write, (50, 62))],
    );
    commit(
        &mut totals,
        2,
        (50, 63),
        &[waits(1, Who::Leader, write, (50, 63))],
    );
    commit(&mut totals, 1, (50, 64), &[waits(1, Who::Own, write, (50, 64))]);
    commit(
        &mut totals,
        4,
        (50, 70),
        &[waits(1, Who::PreviousGroup, write, (50, 64))],
    );
    totals
}

#[test]
fn the_large_member_is_waited_for_and_not_who_wrote_it() {
    let rows = rows(group_with_a_large_member());
    let large = &rows[0];
    assert_eq!(
        (large.thread, large.bytes, large.together),
        (2, Some(20 * MIB), 1)
    );
    assert_eq!((large.commits, large.waited), (3, (12 + 14 + 14) * MS_NS));
    assert_eq!(large.longest, 14 * MS_NS);
    assert_eq!(
        (large.ns, large.commit, large.end),
        (53 * MS_NS, 13 * MS_NS, 63 * MS_NS)
    );
    let leader = rows.iter().find(|row| row.thread == 1).unwrap();
    assert_eq!(
        (leader.bytes, leader.together, leader.waited),
        (Some(1_000), 2, 0)
    );
}

/// The same, where the server states no groups.
#[test]
fn without_stated_groups_a_large_cache_is_that_of_who_writes_as_much() {
    let mut totals = totals();
    totals.push_io(&io(2, 10, IoOp::Write, 20 * MIB), FileClass::Temporary, || 0);
    totals.push_io(&io(3, 11, IoOp::Write, 60 * MIB), FileClass::Temporary, || 0);
    for part in 0..20 {
        totals.push_io(&io(1, 51 + part, IoOp::Write, MIB), FileClass::Binlog, || {
            49 * MS_NS
        });
    }
    totals.push_io(&io(1, 72, IoOp::Write, 1_000), FileClass::Binlog, || 49 * MS_NS);
    let write = Some((FileClass::Binlog, IoOp::Write));
    commit(
        &mut totals,
        2,
        (50, 75),
        &[waits(1, Who::Session, write, (50, 75))],
    );
    commit(&mut totals, 1, (50, 76), &[waits(1, Who::Own, write, (50, 76))]);
    commit(
        &mut totals,
        3,
        (50, 80),
        &[waits(1, Who::Session, write, (50, 76))],
    );
    let rows = rows(totals);
    let found: Vec<_> = rows
        .iter()
        .map(|row| (row.thread, row.bytes, row.commits))
        .collect();
    assert_eq!(
        found,
        [(2, Some(20 * MIB), 2), (1, Some(1_000), 0), (3, None, 0)],
        "that of 3 is a sort's"
    );
}

#[test]
fn a_large_transaction_is_named_while_it_grows() {
    let mut totals = group_with_a_large_member();
    assert_eq!(totals.take_wanted(), [2]);
    assert_eq!(totals.take_wanted(), Vec::<Tid>::new());
}

#[test]
fn a_sync_by_another_thread_is_for_the_large_transaction() {
    let mut totals = totals();
    totals.push_io(&io(1, 10, IoOp::Write, 20 * MIB), FileClass::Binlog, || 9 * MS_NS);
    totals.push_io(&io(5, 11, IoOp::Write, 1_000), FileClass::Binlog, || 9 * MS_NS);
    totals.push_io(&io(5, 12, IoOp::Fsync, 0), FileClass::Binlog, || 9 * MS_NS);
    let sync = Some((FileClass::Binlog, IoOp::Fsync));
    commit(&mut totals, 6, (11, 90), &[waits(5, Who::Leader, sync, (11, 90))]);
    assert_eq!(totals.take_wanted(), [1]);
    commit(&mut totals, 1, (10, 91), &[waits(1, Who::Own, None, (10, 91))]);
    let rows = rows(totals);
    assert_eq!((rows[0].thread, rows[0].waited), (1, 79 * MS_NS));
}

#[test]
fn transactions_of_usual_size_are_waited_for_as_their_leaders() {
    let mut totals = totals();
    for round in 0..20 {
        let at_ms = 10 + 10 * round;
        for tid in 1..=2 {
            totals.push_member(&member(tid, 1, at_ms));
        }
        totals.push_io(&io(1, at_ms, IoOp::Write, 900), FileClass::Binlog, || {
            (at_ms - 1) * MS_NS
        });
        totals.push_io(&io(1, at_ms + 1, IoOp::Fsync, 0), FileClass::Binlog, || {
            (at_ms - 1) * MS_NS
        });
        let span = (at_ms, at_ms + 5);
        commit(&mut totals, 1, span, &[waits(1, Who::Own, None, span)]);
        commit(&mut totals, 2, span, &[waits(1, Who::Leader, None, span)]);
    }
    assert_eq!(totals.take_wanted(), Vec::<Tid>::new());
    let rows = rows(totals);
    assert!(rows.len() <= 24);
    let held: Vec<_> = rows.iter().filter(|row| row.waited > 0).collect();
    assert_eq!(held.len(), 8);
    let is_usual = |row: &&&TransactionRow| (row.thread, row.bytes, row.commits) == (1, Some(900), 1);
    assert!(held.iter().all(|row| is_usual(&row)));
}

#[test]
fn a_background_thread_has_no_transaction() {
    let mut totals = totals();
    let redo = Some((FileClass::Redo, IoOp::Fsync));
    commit(
        &mut totals,
        1,
        (10, 20),
        &[waits(9, Who::Background, redo, (10, 20))],
    );
    assert!(rows(totals).iter().all(|row| row.waited == 0));
}

#[test]
fn what_was_written_before_the_request_is_no_transactions() {
    let mut totals = totals();
    totals.push_io(&io(1, 10, IoOp::Write, 5_000), FileClass::Binlog, || 9 * MS_NS);
    totals.push_io(&io(1, 20, IoOp::Write, 700), FileClass::Binlog, || 19 * MS_NS);
    commit(&mut totals, 1, (20, 25), &[]);
    assert_eq!(rows(totals)[0].bytes, Some(700));
}

#[test]
fn connections_without_end_take_bounded_memory() {
    let mut totals = totals();
    for tid in 1..=100_000 {
        let at_ms = u64::from(tid);
        totals.push_io(&io(tid, at_ms, IoOp::Write, 100), FileClass::Temporary, || 0);
        commit(&mut totals, tid, (at_ms, at_ms + 1), &[]);
        totals.push_thread_end(tid, (at_ms + 1) * MS_NS);
        assert!(totals.threads.len() <= 10_000);
    }
}
