//! A server's group commits from the first record to the breakdown.

use logtrace_attribution::analysis::{Analysis, AnalysisConfig};
use logtrace_attribution::breakdown::Breakdown;
use logtrace_attribution::cause::{Cause, Wait, Who};
use logtrace_common::{FileClass, TimeRange};
use logtrace_events::{IoOp, Record};
use logtrace_testkit::synthetic;

const CONNECTIONS: u32 = 8;
const GROUPS: u32 = 200;

fn analysed(records: Vec<Record>, window: TimeRange) -> Breakdown {
    let mut analysis = Analysis::new(AnalysisConfig {
        server_tgid: synthetic::SERVER_TGID,
        logs: synthetic::logs(),
        window,
    });
    for record in records {
        analysis.push(record);
    }
    analysis.finish()
}

fn whole() -> Breakdown {
    analysed(
        synthetic::group_commits(CONNECTIONS, GROUPS),
        TimeRange::new(0, u64::MAX),
    )
}

fn total(breakdown: &Breakdown, wanted: impl Fn(Cause) -> bool) -> u64 {
    let causes = breakdown.causes.iter().filter(|row| wanted(row.cause));
    causes.map(|row| row.total).sum()
}

#[test]
fn followers_are_charged_to_their_leaders_syncs() {
    let breakdown = whole();
    assert_eq!(breakdown.commits.count, u64::from(CONNECTIONS * GROUPS));
    assert_eq!((breakdown.unmatched, breakdown.invariant_violations), (0, 0));
    let own = total(&breakdown, |cause| cause.who == Who::Own && cause.io.is_some());
    let leader = total(&breakdown, |cause| cause.who == Who::Leader && cause.io.is_some());
    let ratio = leader as f64 / own as f64;
    assert!((6.0..7.5).contains(&ratio), "seven of eight follow: {ratio}");
    assert_eq!(
        total(&breakdown, |cause| matches!(
            cause.who,
            Who::Session | Who::Background
        )),
        0
    );
    assert_eq!(total(&breakdown, |cause| cause.wait == Wait::Unclassified), 0);
}

#[test]
fn a_leaders_wait_is_explained_and_little_is_not() {
    let breakdown = whole();
    let unexplained = total(&breakdown, |cause| cause.wait == Wait::Unexplained);
    assert!(
        unexplained * 100 < breakdown.commits.total,
        "{unexplained} of {}",
        breakdown.commits.total
    );
    let binlog = total(&breakdown, |cause| {
        cause.io == Some((FileClass::Binlog, IoOp::Fsync))
    });
    let redo = total(&breakdown, |cause| {
        cause.io == Some((FileClass::Redo, IoOp::Fsync))
    });
    assert!(
        binlog > redo && redo * 10 > breakdown.commits.total,
        "binlog {binlog}, redo {redo}"
    );
}

#[test]
fn files_are_counted_with_their_bytes() {
    let breakdown = whole();
    let rows: Vec<_> = breakdown
        .files
        .iter()
        .map(|row| (row.class, row.op, row.count, row.bytes))
        .collect();
    let calls = u64::from(GROUPS);
    assert_eq!(
        rows[..2],
        [
            (FileClass::Binlog, IoOp::Fsync, calls, 0),
            (FileClass::Redo, IoOp::Fsync, calls, 0)
        ]
    );
    assert_eq!(rows.len(), 4);
    assert!(
        rows[2..]
            .iter()
            .all(|row| (row.1, row.2, row.3) == (IoOp::Write, calls, 512 * calls))
    );
}

#[test]
fn only_what_is_within_the_window_counts() {
    let records = synthetic::group_commits(CONNECTIONS, GROUPS);
    let commits: Vec<_> = records
        .iter()
        .filter_map(|record| match record {
            Record::Commit(commit) => Some(*commit),
            _ => None,
        })
        .collect();
    // From just after a commit began up to the very end of another.
    let window = TimeRange::new(commits[500].start_ns + 1, commits[900].end_ns);
    let counted = commits
        .iter()
        .filter(|commit| commit.start_ns < window.end_ns && commit.end_ns >= window.start_ns);
    let expected = counted.fold((0, 0), |(count, total_ns), commit| {
        (count + 1, total_ns + commit.end_ns - commit.start_ns)
    });
    let breakdown = analysed(records, window);
    assert_eq!((breakdown.commits.count, breakdown.commits.total), expected);
    let whole = commits
        .iter()
        .filter(|commit| window.contains(commit.start_ns) && window.contains(commit.end_ns));
    assert!(
        (whole.count() as u64) < expected.0,
        "no commit reaches over an end of the window"
    );
    assert!(breakdown.files.iter().all(|row| row.count < u64::from(GROUPS)));
}
