//! A trace of weeks: threads come and go, and what is forgotten of them changes no cause.

use logtrace_attribution::analysis::{Analysis, AnalysisConfig};
use logtrace_attribution::breakdown::Breakdown;
use logtrace_common::TimeRange;
use logtrace_events::{Commit, CpuWait, OffCpu, Record, ThreadEnd, Tid, Wake};
use logtrace_testkit::synthetic::{self, SERVER_TGID};

const SECOND_NS: u64 = 1_000_000_000;
const FUTEX: u16 = 202;
const RECVFROM: u16 = 45;
const IDLE: Tid = 1;
const WAITING: Tid = 2;

/// A thread that was off the CPU, in `syscall`, until `waker` ran.
fn off_cpu(tid: Tid, range: TimeRange, waker: Tid, syscall: u16) -> Record {
    Record::OffCpu(OffCpu {
        tid,
        out_ns: range.start_ns,
        in_ns: range.end_ns,
        wake: Wake::By {
            at_ns: range.end_ns,
            tid: waker,
            tgid: if waker < 10 { SERVER_TGID } else { 9 },
            commit_ns: None,
            syscall: Some(FUTEX),
        },
        syscall: Some(syscall),
        stack: None,
        cpu_wait: CpuWait::Unknown,
    })
}

/// Connections of a moment each, 1,000 a second over ten minutes.
fn churn() -> Vec<Record> {
    let threads = 0..600_000u32;
    let records = threads.flat_map(|number| {
        let (tid, at_ns) = (100 + number, u64::from(number) * SECOND_NS / 1_000);
        let asked = TimeRange::new(at_ns, at_ns + 100);
        let end = ThreadEnd {
            tid,
            at_ns: at_ns + 200,
        };
        [off_cpu(tid, asked, 99, RECVFROM), Record::ThreadEnd(end)]
    });
    records.collect()
}

/// A connection that is idle for ten minutes holds a lock for a second when it wakes; another one's commit waits for it.
fn explained(before: Vec<Record>) -> Breakdown {
    let woken_ns = 601 * SECOND_NS;
    let free_ns = woken_ns + SECOND_NS;
    let mut analysis = Analysis::new(AnalysisConfig {
        server_tgid: SERVER_TGID,
        logs: synthetic::logs(),
        window: TimeRange::new(0, u64::MAX),
    });
    let idle = TimeRange::new(5, woken_ns);
    analysis.push(off_cpu(IDLE, TimeRange::new(1, 4), 99, RECVFROM));
    before.into_iter().for_each(|record| analysis.push(record));
    analysis.push(off_cpu(IDLE, idle, 99, RECVFROM));
    analysis.push(off_cpu(
        WAITING,
        TimeRange::new(woken_ns + 10, free_ns),
        IDLE,
        FUTEX,
    ));
    analysis.push(Record::Commit(Commit {
        tid: WAITING,
        start_ns: woken_ns + 10,
        end_ns: free_ns + 5,
    }));
    analysis.finish()
}

#[test]
fn a_connection_that_wakes_after_long_is_the_same_as_before() {
    let (alone, among) = (explained(Vec::new()), explained(churn()));
    assert_eq!((among.unmatched, among.invariant_violations), (0, 0));
    assert_eq!(among.causes, alone.causes);
    let causes: Vec<String> = alone
        .causes
        .iter()
        .map(|row| format!("{} {}", row.cause.who, row.cause.wait))
        .collect();
    assert_eq!(causes, ["session on CPU", "own on CPU"]);
}
