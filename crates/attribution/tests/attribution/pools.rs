//! Servers with a pool of threads, and statements that are known in part.

use logtrace_attribution::analysis::{Analysis, AnalysisConfig};
use logtrace_attribution::breakdown::{Breakdown, CutStatements};
use logtrace_attribution::cause::{Cause, Wait, Who};
use logtrace_common::{FileClass, TimeRange};
use logtrace_events::{
    AsyncCommit, Commit, CpuWait, File, FileId, Io, IoOp, OffCpu, Record, Statement, Tid, Wake,
};
use logtrace_testkit::synthetic;

const SERVER: u32 = synthetic::SERVER_TGID;
const POLL: u16 = 7;
const FUTEX: u16 = 202;
const EPOLL_WAIT: u16 = 232;
const REDO: FileId = FileId {
    dev: 1,
    ino: 7,
    generation: 0,
};

fn off(tid: Tid, out_ns: u64, in_ns: u64, syscall: u16) -> Record {
    Record::OffCpu(OffCpu {
        tid,
        out_ns,
        in_ns,
        wake: Wake::By {
            at_ns: in_ns,
            tid: 9_998,
            tgid: 9_999,
            commit_ns: None,
            syscall: Some(44),
        },
        syscall: Some(syscall),
        stack: None,
        cpu_wait: CpuWait::Unknown,
    })
}

fn commit(tid: Tid, start_ns: u64, end_ns: u64) -> Commit {
    Commit {
        tid,
        start_ns,
        end_ns,
    }
}

fn analysed(records: impl IntoIterator<Item = Record>) -> Breakdown {
    let mut analysis = Analysis::new(AnalysisConfig {
        server_tgid: SERVER,
        logs: synthetic::logs(),
        window: TimeRange::new(0, u64::MAX),
    });
    analysis.explain_statements();
    records.into_iter().for_each(|record| analysis.push(record));
    let breakdown = analysis.finish();
    assert_eq!((breakdown.unmatched, breakdown.invariant_violations), (0, 0));
    breakdown
}

/// Returns the time of all commits that is charged to a cause.
fn charged(breakdown: &Breakdown, who: Who, io: Option<(FileClass, IoOp)>, wait: Wait) -> u64 {
    let cause = Cause { who, io, wait };
    let rows = breakdown.causes.iter().filter(|row| row.cause == cause);
    rows.map(|row| row.total).sum()
}

/// Thread 1 runs the function of a commit and serves another client, with a commit of its own. Thread 2 syncs the log for both.
#[test]
fn a_commit_whose_thread_serves_others_waits_for_the_thread_that_ends_it() {
    let ended = |start_ns, returned_ns| {
        Record::AsyncCommit(AsyncCommit {
            commit: commit(1, start_ns, 900),
            returned_ns,
            waker: 2,
            waker_commit_ns: Some(50),
        })
    };
    let breakdown = analysed([
        Record::File(File {
            id: REDO,
            path: "ib_logfile0".into(),
        }),
        off(1, 10, 100, EPOLL_WAIT),
        off(2, 10, 40, EPOLL_WAIT),
        Record::CommitReturn(commit(1, 100, 200)),
        Record::CommitReturn(commit(1, 300, 400)),
        off(1, 500, 800, EPOLL_WAIT),
        Record::Io(Io {
            tid: 2,
            enter_ns: 150,
            exit_ns: 880,
            file: REDO,
            op: IoOp::Fsync,
            ret: 0,
        }),
        ended(100, 200),
        ended(300, 400),
        Record::Commit(commit(2, 50, 950)),
    ]);
    assert_eq!(
        (breakdown.commits.count, breakdown.commits.total),
        (3, 800 + 600 + 900)
    );
    let sync = Some((FileClass::Redo, IoOp::Fsync));
    assert_eq!(charged(&breakdown, Who::Leader, sync, Wait::OnCpu), 680 + 480);
    assert_eq!(charged(&breakdown, Who::Own, sync, Wait::OnCpu), 730);
    assert_eq!(charged(&breakdown, Who::Own, None, Wait::OnCpu), 100 + 100 + 170);
    assert_eq!(charged(&breakdown, Who::Own, None, Wait::Client), 0);
}

/// Between two statements a thread waits for another one of the pool, which is no wait for a client.
#[test]
fn statements_of_a_pool_are_those_with_records() {
    let statement = |start_ns, end_ns, at_ns| {
        Record::Statement(Statement {
            tid: 1,
            start_ns,
            end_ns,
            at_ns,
        })
    };
    let breakdown = analysed([
        off(1, 10, 100, EPOLL_WAIT),
        off(1, 200, 5_000, FUTEX),
        off(1, 5_300, 5_400, EPOLL_WAIT),
        statement(5_000, 5_200, 5_300),
        Record::Commit(commit(1, 5_450, 5_500)),
        statement(5_400, 5_600, 9_000),
        off(1, 9_000, 9_500, EPOLL_WAIT),
    ]);
    let (stages, statements) = (breakdown.stages.unwrap(), breakdown.statements.unwrap());
    assert_eq!((stages.statements, stages.total, stages.commit), (2, 400, 50));
    assert_eq!((statements.count, statements.total), (2, 350));
    assert_eq!(stages.cut, None);
    assert!(breakdown.is_pooled);
}

/// Thread 1 is at work when tracing begins, thread 2 when it ends, and thread 3 waits for its client.
#[test]
fn statements_that_are_under_way_at_either_end_are_counted() {
    let breakdown = analysed([
        off(1, 100, 300, FUTEX),
        off(3, 100, 600, POLL),
        off(1, 700, 900, POLL),
        off(2, 100, 920, POLL),
        off(3, 800, 1_000, POLL),
        off(1, 950, 1_000, POLL),
    ]);
    let stages = breakdown.stages.unwrap();
    assert_eq!((stages.statements, stages.total), (3, 600 + 200 + 50));
    let cut = CutStatements {
        at_start: 1,
        at_end: 1,
    };
    assert_eq!(stages.cut, Some(cut));
}
