//! What the analysis gives for a run, with invented numbers.

use hdrhistogram::Histogram;
use logtrace_attribution::breakdown::{
    Breakdown, Holders, OverTime, Part, ProcessRow, StackTotal, StackTotals, TransactionRow,
};
use logtrace_attribution::cause::{Cause, Wait, Who};
use logtrace_common::FileClass;
use logtrace_events::IoOp;
use logtrace_report::document::{
    CauseRow, CauseTime, Commits, DeviceRow, Disagreements, Distribution, FileRow, Groups, OtherCommits,
    Response, SlowTenth,
};

use super::statements::{stages, statements};

/// Commits of an open loop on MySQL.
pub(super) fn breakdown() -> Breakdown {
    let commits = durations(35_988, 850_000.0);
    let slowest_total = commits[commits.len() - 360..].iter().sum();
    let total = commits.iter().sum();
    let causes = causes(total, slowest_total);
    let stacks = StackTotals {
        commit: causes.iter().map(|row| stack(row.cause, row.total)).collect(),
        response: response_stacks(&response()),
        statement: statements()
            .causes
            .iter()
            .map(|row| stack(row.cause, row.total))
            .collect(),
    };
    Breakdown {
        commits: Commits {
            count: 35_988,
            total,
            distribution: Distribution::from(&histogram(&commits)),
            per_second: per_second(35_988),
            slow_tenths: vec![slow_tenth(causes[0].cause)],
            slowest_count: 360,
            slowest_total,
            others: Some(OtherCommits::default()),
        },
        causes,
        files: files(),
        gaps: None,
        holders: Holders {
            transactions: vec![transaction()],
            processes: vec![process()],
            ..Holders::default()
        },
        over_time: OverTime::default(),
        devices: vec![device()],
        response: response(),
        stages: Some(stages()),
        statements: Some(statements()),
        is_pooled: false,
        groups: Some(groups()),
        stacks,
        invariant_violations: 0,
        unmatched: 0,
        unclassified: vec![StackTotal {
            frames: [
                "do_syscall_64",
                "__x64_sys_fdatasync",
                "ext4_sync_file",
                "down_read_slowpath",
                "schedule",
            ]
            .map(str::to_owned)
            .to_vec(),
            total_ns: 61_400_000,
        }],
    }
}

/// One that had the CPU now and then.
fn process() -> ProcessRow {
    ProcessRow {
        name: "backup".to_owned(),
        control_group: Some("/system.slice/backup.service".to_owned()),
        cpu: 61_234_567,
        commits: 1_021,
        written: 1_234_567_890,
    }
}

/// A large one that held others up.
fn transaction() -> TransactionRow {
    TransactionRow {
        thread: 19_370,
        end: 12_398_765_432,
        ns: 412_345_678,
        commit: 91_234_567,
        bytes: Some(21_399_142),
        together: 1,
        commits: 212,
        waited: 3_141_592_653,
        longest: 88_123_456,
        session: None,
    }
}

/// One in which a commit of every connection was held.
fn slow_tenth(cause: Cause) -> SlowTenth {
    SlowTenth {
        at: 12_300_000_000,
        ended: 2,
        under_way: 8,
        causes: vec![CauseTime {
            cause,
            total: 712_345_678,
        }],
    }
}

/// 30 seconds around 1,200 that sum to `count`.
fn per_second(count: u64) -> Vec<u64> {
    let mut seconds: Vec<u64> = (0..29).map(|second| 1_171 + (second * 37) % 60).collect();
    seconds.push(count - seconds.iter().sum::<u64>());
    seconds
}

/// A cause with its share of all commits and of the slowest, in units of 1/10,000.
type Share = (Who, Option<FileClass>, Option<IoOp>, Wait, u64, u64);

fn shares() -> Vec<Share> {
    let (binlog, redo) = (FileClass::Binlog, FileClass::Redo);
    let (fsync, write) = (Some(IoOp::Fsync), Some(IoOp::Write));
    vec![
        (
            Who::Leader,
            Some(binlog),
            fsync,
            Wait::JournalCommit,
            2_715,
            4_390,
        ),
        (Who::Own, Some(redo), fsync, Wait::DeviceFlush, 1_880, 903),
        (Who::Leader, Some(redo), fsync, Wait::DeviceFlush, 1_699, 2_210),
        (Who::Leader, None, None, Wait::RunQueue, 903, 191),
        (Who::Own, Some(binlog), fsync, Wait::JournalCommit, 1_020, 640),
        (Who::Own, None, None, Wait::OnCpu, 560, 121),
        (Who::Leader, Some(binlog), fsync, Wait::FlushQueue, 392, 701),
        (
            Who::PreviousGroup,
            Some(binlog),
            fsync,
            Wait::JournalCommit,
            301,
            420,
        ),
        (Who::Own, None, None, Wait::RunQueue, 260, 190),
        (Who::Session, None, None, Wait::OnCpu, 101, 42),
        (Who::Leader, Some(binlog), write, Wait::OnCpu, 44, 9),
        (Who::Background, Some(redo), fsync, Wait::Unclassified, 31, 120),
        (Who::Own, Some(redo), write, Wait::OnCpu, 28, 6),
        (Who::Background, None, None, Wait::Timer, 17, 4),
        (
            Who::Own,
            Some(FileClass::SlowLog),
            write,
            Wait::FileSystemLock,
            9,
            3,
        ),
    ]
}

/// Causes with their shares of what commits took.
fn causes(total: u64, slowest: u64) -> Vec<CauseRow> {
    let part = |whole: u64, share: u64| whole / 10_000 * share;
    let mut causes: Vec<CauseRow> = shares()
        .into_iter()
        .map(|(who, file, op, wait, of_all, of_slowest)| CauseRow {
            cause: Cause {
                who,
                io: file.zip(op),
                wait,
            },
            total: part(total, of_all),
            commits: 35_988 * of_all / 2_715,
            slowest: part(slowest, of_slowest),
        })
        .collect();
    // What is left, so that the sums are exact.
    causes.push(CauseRow {
        cause: Cause::UNEXPLAINED,
        total: total - causes.iter().map(|cause| cause.total).sum::<u64>(),
        commits: 902,
        slowest: slowest - causes.iter().map(|cause| cause.slowest).sum::<u64>(),
    });
    causes
}

fn stack(cause: Cause, total_ns: u64) -> StackTotal {
    let Cause { who, io, wait } = cause;
    let mut frames = vec![who.to_string()];
    frames.extend(io.map(|(class, op)| format!("{class} {op}")));
    frames.push(wait.to_string());
    if wait == Wait::JournalCommit {
        frames.extend(
            [
                "ext4_sync_file",
                "jbd2_complete_transaction",
                "jbd2_log_wait_commit",
            ]
            .map(str::to_owned),
        );
    }
    StackTotal { frames, total_ns }
}

fn files() -> Vec<FileRow> {
    let (binlog, redo) = (FileClass::Binlog, FileClass::Redo);
    [
        (binlog, "data/binlog.000002", IoOp::Fsync, 9_100, 0, 610_000.0),
        (
            redo,
            "data/#innodb_redo/#ib_redo7",
            IoOp::Fsync,
            9_420,
            0,
            402_000.0,
        ),
        (
            redo,
            "data/#innodb_redo/#ib_redo8",
            IoOp::Fsync,
            3_010,
            0,
            455_000.0,
        ),
        (
            binlog,
            "data/binlog.000002",
            IoOp::Write,
            9_100,
            18_400_000,
            9_200.0,
        ),
        (
            redo,
            "data/#innodb_redo/#ib_redo7",
            IoOp::Write,
            9_420,
            41_000_000,
            6_100.0,
        ),
        (
            FileClass::Data,
            "data/sbtest/sbtest1.ibd",
            IoOp::Fsync,
            3,
            0,
            1_900_000.0,
        ),
    ]
    .into_iter()
    .map(|(class, path, op, calls, bytes, base)| {
        let (flush_waits, journal_waits) = waits(class, op, u64::from(calls));
        FileRow {
            bytes,
            flush_waits,
            journal_waits,
            errors: 0,
            ..file(class, path, op, &durations(calls, base))
        }
    })
    .collect()
}

fn file(class: FileClass, path: &str, op: IoOp, durations: &[u64]) -> FileRow {
    FileRow {
        class,
        path: path.to_owned(),
        op,
        files: 1,
        count: durations.len() as u64,
        bytes: 0,
        total: durations.iter().sum(),
        distribution: Distribution::from(&histogram(durations)),
        flush_waits: 0,
        journal_waits: 0,
        errors: 0,
    }
}

/// Returns the waits for flushes and for the journal. The binlog grows, which changes the journal; other files do not.
fn waits(class: FileClass, op: IoOp, calls: u64) -> (u64, u64) {
    match (class, op) {
        (FileClass::Binlog, IoOp::Fsync) => (0, calls),
        (_, IoOp::Fsync) => (calls, 0),
        _ => (0, 0),
    }
}

fn response() -> Response {
    let parts = [
        2_100_000_000,
        3_400_000_000,
        3_900_000_000,
        42_600_000_000,
        700_000_000,
    ];
    let [lag, client, before_commit, commit, after_commit] = parts;
    Response {
        requests: 35_988,
        unmatched: 0,
        untraced: 0,
        total: parts.iter().sum(),
        lag,
        client,
        before_commit,
        commit,
        after_commit,
    }
}

/// In the order of time; a part of them is explained.
fn response_stacks(of: &Response) -> Vec<StackTotal> {
    let explained = |part: Part, total_ns, cause| {
        let mut stack = stack(cause, total_ns);
        stack.frames.insert(0, part.as_str().to_owned());
        stack
    };
    let whole = |part: Part, total_ns| StackTotal {
        frames: vec![part.as_str().to_owned()],
        total_ns,
    };
    let cause = |who, io, wait| Cause { who, io, wait };
    let on_cpu = cause(Who::Own, None, Wait::OnCpu);
    let binlog = Some((FileClass::Binlog, IoOp::Fsync));
    let journal = cause(Who::Leader, binlog, Wait::JournalCommit);
    let flush = cause(Who::Own, Some((FileClass::Redo, IoOp::Fsync)), Wait::DeviceFlush);
    vec![
        whole(Part::Lag, of.lag),
        whole(Part::Client, of.client),
        whole(Part::BeforeCommit, 400_000_000),
        explained(Part::BeforeCommit, of.before_commit - 400_000_000, on_cpu),
        explained(Part::Commit, 30_000_000_000, journal),
        explained(Part::Commit, 12_000_000_000, flush),
        explained(Part::Commit, of.commit - 42_000_000_000, Cause::UNEXPLAINED),
        whole(Part::AfterCommit, of.after_commit),
    ]
}

/// Of 35,986 commits in 9,420 groups: two were in groups whose leaders were not in the window.
fn groups() -> Groups {
    Groups {
        count: 9_420,
        members: 35_986,
        sizes: vec![1_000, 1_354, 1_518, 2_382, 1_600, 966, 400, 200],
        merged: 320,
        led: 26_886,
        disagreements: Disagreements {
            commits: 612,
            total: 74_300_000,
        },
    }
}

fn device() -> DeviceRow {
    let values = durations(30_600, 180_000.0);
    DeviceRow {
        device: "254:0".to_owned(),
        flushes: 30_600,
        total: values.iter().sum(),
        distribution: Distribution::from(&histogram(&values)),
    }
}

/// `count` durations with a long tail, the shortest first: `base` times a Pareto quantile.
pub(super) fn durations(count: u32, base: f64) -> Vec<u64> {
    let quantile = |index: u32| (f64::from(index) + 0.5) / f64::from(count);
    let value = |index| base * (1.0 - quantile(index)).powf(-0.28);
    (0..count).map(|index| value(index).round() as u64).collect()
}

pub(super) fn histogram(values: &[u64]) -> Histogram<u64> {
    let mut histogram = Histogram::new(3).unwrap();
    for &value in values {
        histogram.record(value).unwrap();
    }
    histogram
}
