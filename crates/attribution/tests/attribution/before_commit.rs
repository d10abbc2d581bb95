//! Statements that wait before their commits, and the sessions that hold them up.

use logtrace_attribution::analysis::{Analysis, AnalysisConfig};
use logtrace_attribution::breakdown::{LongWaits, StatementStages};
use logtrace_attribution::cause::{Wait, Who};
use logtrace_common::TimeRange;
use logtrace_events::{Commit, CpuWait, OffCpu, Record, ServerWait, Stack, Tid, Wake};
use logtrace_testkit::synthetic;

const SERVER: u32 = synthetic::SERVER_TGID;
const POLL: u16 = 7;
const FUTEX: u16 = 202;
/// Unit of the times below.
const MS: u64 = 1_000_000;

const ROW: u32 = 1;
const METADATA: u32 = 2;
const CLEANER: u32 = 3;

/// Functions in which threads wait.
fn stacks() -> [Stack; 3] {
    let stack = |id, functions: &[&str]| Stack {
        id,
        frames: functions.iter().map(|&name| name.to_owned()).collect(),
    };
    [
        stack(ROW, &["pthread_cond_wait", "lock_wait_suspend_thread"]),
        stack(
            METADATA,
            &["pthread_cond_timedwait", "MDL_wait::timed_wait", "open_table"],
        ),
        stack(CLEANER, &["pthread_cond_wait", "buf_LRU_get_free_block"]),
    ]
}

/// A server that is described wait by wait.
struct Server {
    records: Vec<(u64, Record)>,
}

impl Server {
    fn new() -> Self {
        let stacks = stacks().into_iter();
        Self {
            records: stacks.map(|stack| (0, Record::ServerStack(stack))).collect(),
        }
    }

    fn off(&mut self, tid: Tid, from: u64, to: u64, syscall: u16, waker: (Tid, u32, Option<u16>)) {
        let (waker, tgid, waker_syscall) = waker;
        let off = OffCpu {
            tid,
            out_ns: from,
            in_ns: to,
            wake: Wake::By {
                at_ns: to,
                tid: waker,
                tgid,
                commit_ns: None,
                syscall: waker_syscall,
            },
            syscall: Some(syscall),
            stack: None,
            cpu_wait: CpuWait::Unknown,
        };
        self.records.push((to, Record::OffCpu(off)));
    }

    /// The thread waits for its client.
    fn client(mut self, tid: Tid, from: u64, to: u64) -> Self {
        self.off(tid, from, to, POLL, (9_999, 9_999, Some(44)));
        self
    }

    /// It waits until `waker` wakes it; `stack` is read if there is one.
    fn waits(mut self, tid: Tid, from: u64, to: u64, waker: Tid, stack: Option<u32>) -> Self {
        self.off(tid, from, to, FUTEX, (waker, SERVER, Some(FUTEX)));
        self.function(tid, to, stack)
    }

    /// It waits until the time runs out.
    fn times_out(mut self, tid: Tid, from: u64, to: u64, stack: u32) -> Self {
        self.off(tid, from, to, FUTEX, (0, 0, None));
        self.function(tid, to, Some(stack))
    }

    fn function(mut self, tid: Tid, in_ns: u64, stack: Option<u32>) -> Self {
        let read = stack.map(|stack| ServerWait {
            tid,
            in_ns,
            read_ns: in_ns + 1,
            stack: Some(stack),
        });
        let read = read.map(|wait| (in_ns + 1, Record::ServerWait(wait)));
        self.records.extend(read);
        self
    }

    fn commits(mut self, tid: Tid, start_ns: u64, end_ns: u64) -> Self {
        let commit = Commit {
            tid,
            start_ns,
            end_ns,
        };
        self.records.push((end_ns, Record::Commit(commit)));
        self
    }

    fn analysis(mut self) -> Analysis {
        self.records.sort_by_key(|(at_ns, _)| *at_ns);
        let mut analysis = Analysis::new(AnalysisConfig {
            server_tgid: SERVER,
            logs: synthetic::logs(),
            window: TimeRange::new(0, u64::MAX),
        });
        self.records
            .into_iter()
            .for_each(|(_, record)| analysis.push(record));
        analysis
    }

    fn stages(self) -> StatementStages {
        let breakdown = self.analysis().finish();
        assert_eq!((breakdown.unmatched, breakdown.invariant_violations), (0, 0));
        let stages = breakdown.stages.unwrap();
        assert_adds_up(&stages);
        stages
    }
}

/// Asserts that the stages sum to the whole time, and the causes to the waits.
pub(crate) fn assert_adds_up(of: &StatementStages) {
    assert_eq!(of.before_commit + of.commit + of.after_commit, of.total);
    assert_eq!(of.waits.iter().map(|row| row.total).sum::<u64>(), of.waited);
    assert!(of.waited <= of.before_commit);
    for row in &of.waits {
        let held: u64 = row.held_by.iter().map(|holder| holder.total).sum();
        assert!(
            held <= row.total && row.longest <= row.total && row.count > 0,
            "{row:?}"
        );
        for holder in &row.held_by {
            assert!(
                holder.idle <= holder.held && holder.held <= holder.total,
                "{holder:?}"
            );
            assert!(holder.count <= row.count, "{holder:?}");
        }
    }
}

fn holders(row: &LongWaits) -> Vec<(Tid, u64, u64, u64)> {
    let holders = row.held_by.iter();
    let in_ms = |ns| ns / MS;
    holders
        .map(|holder| {
            (
                holder.tid,
                in_ms(holder.total),
                in_ms(holder.held),
                in_ms(holder.idle),
            )
        })
        .collect()
}

/// Session 10 changes a row, its client is idle from 2 to 3,002 ms, and then it commits.
fn idle_session() -> Server {
    Server::new()
        .client(10, 0, MS)
        .client(10, 2 * MS, 3_002 * MS)
        .commits(10, 3_003 * MS, 3_006 * MS)
        .client(10, 3_007 * MS, 4_000 * MS)
}

#[test]
fn a_row_lock_is_held_by_the_session_whose_client_is_idle() {
    let of = idle_session()
        .client(11, 0, 5 * MS)
        .waits(11, 6 * MS, 3_005 * MS, 10, Some(ROW))
        .commits(11, 3_006 * MS, 3_008 * MS)
        .client(11, 3_009 * MS, 4_000 * MS)
        .stages();
    assert_eq!((of.statements, of.waited), (3, 2_999 * MS));
    assert_eq!(of.commit, 5 * MS);
    // 1 ms of the change; 1 ms before and 1 ms after the commit; 1 ms before the wait, 1 ms after it, and 1 ms at the end.
    assert_eq!(of.before_commit, (1 + 1 + 1 + 2_999 + 1) * MS);
    assert_eq!(of.after_commit, 2 * MS);
    let [row] = of.waits.as_slice() else {
        panic!("{:?}", of.waits);
    };
    assert_eq!((row.cause.wait, row.cause.who), (Wait::RowLock, Who::Session));
    assert_eq!((row.count, row.longest), (1, 2_999 * MS));
    assert_eq!(holders(row), [(10, 2_999, 2_999, 2_996)]);
    assert_eq!(row.held_by[0].end, 3_005 * MS);
}

#[test]
fn who_holds_a_lock_for_long_is_to_be_named_at_once() {
    let waits = |ms| {
        let server = idle_session()
            .client(11, 0, 5 * MS)
            .waits(11, 3_005 * MS - ms * MS, 3_005 * MS, 10, Some(ROW))
            .client(11, 3_009 * MS, 4_000 * MS);
        server.analysis().take_wanted()
    };
    assert_eq!(waits(50), [10]);
    assert_eq!(waits(49), Vec::<Tid>::new());
}

#[test]
fn whose_statement_takes_long_is_to_be_named_once_while_it_goes_on() {
    let server = Server::new()
        .client(10, 0, MS)
        .client(11, 0, 5 * MS)
        .client(11, 6 * MS, 500 * MS);
    assert_eq!(server.analysis().take_wanted(), Vec::<Tid>::new());
    let mut analysis = Server::new()
        .client(10, 0, MS)
        .client(11, 0, 5 * MS)
        .client(11, 6 * MS, 1_500 * MS)
        .analysis();
    assert_eq!(analysis.take_wanted(), [10]);
    for (_, record) in Server::new().client(12, 1_600 * MS, 2_400 * MS).records {
        analysis.push(record);
    }
    assert_eq!(analysis.take_wanted(), Vec::<Tid>::new());
}

#[test]
fn who_waits_behind_others_waits_for_the_first() {
    // 12 gets the lock after 11, and 13 after 12.
    let of = idle_session()
        .client(11, 0, 5 * MS)
        .client(12, 0, 5 * MS)
        .client(13, 0, 5 * MS)
        .waits(11, 6 * MS, 3_005 * MS, 10, Some(ROW))
        .waits(12, 7 * MS, 3_015 * MS, 11, Some(ROW))
        .waits(13, 8 * MS, 3_025 * MS, 12, Some(ROW))
        .client(11, 3_016 * MS, 4_000 * MS)
        .client(12, 3_026 * MS, 4_000 * MS)
        .client(13, 3_027 * MS, 4_000 * MS)
        .stages();
    let row = &of.waits[0];
    assert_eq!((row.count, row.total), (3, (2_999 + 3_008 + 3_017) * MS));
    let first = 2_999 + 2_998 + 2_997;
    assert_eq!(
        holders(row),
        [(10, first, 2_999, 2_996), (11, 20, 10, 0), (12, 10, 10, 0)],
        "each nanosecond of the idle client counts once"
    );
}

#[test]
fn a_wait_with_looks_at_the_client_is_one_wait() {
    let at = |second: u64| second * 1_000 * MS;
    let of = Server::new()
        .client(10, 0, MS)
        .client(10, 2 * MS, at(3))
        .client(10, at(3) + 2 * MS, at(4))
        .client(11, 0, 5 * MS)
        .times_out(11, 6 * MS, at(1), METADATA)
        .times_out(11, at(1) + 1_000, at(2), METADATA)
        // It had to wait for a CPU.
        .times_out(11, at(2) + 20 * MS, at(3), METADATA)
        // Too short to have a stack.
        .waits(11, at(3) + 1_000, at(3) + MS / 2, 10, None)
        .client(11, at(3) + MS, at(4))
        .stages();
    let [row] = of.waits.as_slice() else {
        panic!("{:?}", of.waits);
    };
    let looks = 20 * MS + 2_000;
    assert_eq!((row.cause.wait, row.count), (Wait::MetadataLock, 1));
    assert_eq!(row.total, at(3) + MS / 2 - 6 * MS - looks);
    assert_eq!(holders(row), [(10, 2_974, 2_974, 2_973)]);
}

#[test]
fn nobody_is_named_where_the_time_ran_out_or_a_thread_without_a_client_ended_the_wait() {
    let of = Server::new()
        .client(11, 0, 5 * MS)
        .times_out(11, 6 * MS, 1_000 * MS, ROW)
        .waits(11, 1_500 * MS, 1_600 * MS, 77, Some(ROW))
        .client(11, 1_700 * MS, 4_000 * MS)
        .stages();
    assert_eq!((of.waits[0].count, of.waited), (2, (994 + 100) * MS));
    assert!(of.waits[0].held_by.is_empty());
}

#[test]
fn waits_for_others_than_sessions_have_the_servers_reason_and_no_holder() {
    let of = Server::new()
        .client(11, 0, 5 * MS)
        .waits(11, 6 * MS, 9 * MS, 77, Some(CLEANER))
        .client(11, 10 * MS, 20 * MS)
        .stages();
    assert_eq!((of.waits[0].cause.wait, of.waited), (Wait::FreePage, 3 * MS));
    assert!(of.waits[0].held_by.is_empty());
}

#[test]
fn short_waits_and_waits_in_and_after_commits_are_not_listed() {
    let of = idle_session()
        .client(11, 0, 5 * MS)
        .waits(11, 6 * MS, 7 * MS - 1, 10, Some(ROW))
        .waits(11, 11 * MS, 18 * MS, 10, Some(ROW))
        .commits(11, 10 * MS, 20 * MS)
        .waits(11, 21 * MS, 28 * MS, 10, Some(ROW))
        .client(11, 30 * MS, 4_000 * MS)
        .stages();
    assert_eq!((of.waited, of.waits), (0, Vec::new()));
    assert_eq!(of.after_commit, (10 + 1) * MS);
}

#[test]
fn a_statement_that_waits_when_the_trace_begins_is_one_too() {
    let of = Server::new()
        .client(10, 0, 3_000 * MS)
        .commits(10, 3_001 * MS, 3_006 * MS)
        .waits(11, 0, 3_005 * MS, 10, Some(ROW))
        .client(11, 3_007 * MS, 4_000 * MS)
        .client(11, 4_001 * MS, 4_010 * MS)
        .client(12, 3_500 * MS, 3_600 * MS)
        .stages();
    assert_eq!(of.statements, 2, "12 began later, to log in");
    assert_eq!((of.total, of.waited), (3_008 * MS, 3_005 * MS));
    assert_eq!(holders(&of.waits[0]), [(10, 3_005, 3_005, 3_000)]);
}

#[test]
fn who_looks_at_its_client_while_it_waits_is_followed_all_the_time() {
    let at = |second: u64| second * 1_000 * MS;
    let of = Server::new()
        .client(10, 0, MS)
        .client(10, 2 * MS, at(2))
        .client(10, at(2) + 2 * MS, at(4))
        .client(11, 0, 5 * MS)
        .client(12, 0, 15 * MS)
        // 11 alters a table that 10 has read, and 12 waits for 11.
        .times_out(11, 6 * MS, at(1), METADATA)
        .waits(11, at(1) + 1_000, at(2) + MS, 10, Some(METADATA))
        .waits(12, 16 * MS, at(2) + 11 * MS, 11, Some(METADATA))
        .client(11, at(2) + 12 * MS, at(4))
        .client(12, at(2) + 13 * MS, at(4))
        .stages();
    let [first, second] = holders(&of.waits[0])[..] else {
        panic!("{of:?}");
    };
    assert_eq!(first, (10, 3_979, 1_994, 1_993));
    assert_eq!(second, (11, 10, 10, 0));
}
