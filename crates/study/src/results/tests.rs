//! Figures out of a run document, one that the renderers of reports are tested with.

use logtrace_attribution::cause::Wait;
use logtrace_common::FileClass;
use logtrace_events::IoOp;
use logtrace_report::document::{Document, Gaps};
use logtrace_report::parse_json;

use crate::results::measurement_result::cause_name;
use crate::{Figure, MeasurementResult, Point, RequestTime, SecondPoint, WindowSeries};

fn document() -> Document {
    let snapshot = include_str!(
        "../../../report/tests/report/render/snapshots/report__render__golden__traced.json.snap"
    );
    let json = snapshot.splitn(3, "---\n").last().unwrap();
    parse_json(json).unwrap()
}

fn figure(measured: &MeasurementResult, figure: &Figure) -> f64 {
    measured.figures[figure]
}

#[test]
fn figures_are_those_of_the_document() {
    let stages = [("init".to_owned(), 250.0)];
    let measured = MeasurementResult::new(&document(), &stages, false);
    assert_eq!(figure(&measured, &Figure::Throughput), 1199.6);
    assert_eq!(figure(&measured, &Figure::Commits(Point::P99)), 3_088_383.0);
    // The causes of the binary log, over 35,988 commits.
    let binlog = 11_534_093_775.0 + 4_333_250_700.0 + 1_665_327_720.0 + 1_278_733_785.0 + 186_924_540.0;
    let part = figure(&measured, &Figure::CommitPart(FileClass::Binlog));
    assert!((part - binlog / 35_988.0).abs() < 1e-6, "{part}");
    let written = figure(&measured, &Figure::Written(FileClass::Redo));
    assert!((written - 41e6 / 30.0).abs() < 1e-6, "{written}");
    let commit = figure(&measured, &Figure::Commits(Point::Mean));
    let waits = measured
        .figures
        .iter()
        .filter(|(figure, _)| matches!(figure, Figure::CommitWait(_)));
    let waits: f64 = waits.map(|(_, time)| time).sum();
    assert!(
        (waits - commit).abs() < 1.0,
        "all waits are the commit: {waits} {commit}"
    );
    let bytes = figure(&measured, &Figure::Bytes(FileClass::Redo));
    assert!((bytes - 41e6 / 35_988.0).abs() < 1e-6, "{bytes}");
    assert!(figure(&measured, &Figure::Fsyncs(FileClass::Binlog)) > 0.0);
    assert!(figure(&measured, &Figure::GroupSize) >= 1.0);
    assert_eq!(figure(&measured, &Figure::Stage("init".to_owned())), 250.0);
    assert_eq!(
        (
            figure(&measured, &Figure::Stalls),
            figure(&measured, &Figure::Stalled)
        ),
        (0.0, 0.0)
    );
    assert!(
        measured
            .figures
            .contains_key(&Figure::Requests(RequestTime::Response, Point::P95))
    );
    assert!(!measured.figures.contains_key(&Figure::Nopm), "it is no tpcc");
    // Tenths of 119 and 121 requests by turns, but for the last two: one second of 30 has 12 fewer.
    let deviation = figure(&measured, &Figure::Deviation);
    assert!((deviation - 12.0 / 30f64.sqrt()).abs() < 1e-6, "{deviation}");
    let variation = figure(&measured, &Figure::Variation);
    assert!((variation * 1199.6 - deviation).abs() < 1e-6, "{variation}");
    let second = |point| figure(&measured, &Figure::Second(point));
    assert_eq!(
        (second(SecondPoint::P5), second(SecondPoint::P95)),
        (1200.0, 1200.0)
    );
    assert!(measured.error.unwrap() < 0.01);
}

#[test]
fn parts_of_commits_and_of_statements_sum_to_all_that_was_waited_for() {
    let document = document();
    let measured = MeasurementResult::new(&document, &[], false);
    let statements: u64 = document.statements.as_ref().unwrap().total;
    assert_eq!(
        measured.causes.iter().map(|cause| cause.total).sum::<u64>(),
        document.commits.as_ref().unwrap().total + statements
    );
    let of_commits: u64 = measured.commit_causes.iter().map(|cause| cause.total).sum();
    let commits = document.commits.as_ref().unwrap();
    assert_eq!((of_commits, measured.commits), (commits.total, commits.count));
    let first = measured.causes[0];
    assert_eq!(
        (first.cause.io, first.cause.wait),
        (Some((FileClass::Binlog, IoOp::Fsync)), Wait::JournalCommit)
    );
    assert_eq!(first.total, 11_534_093_775, "of one thread's work");
    assert_eq!(
        cause_name(first.cause.io, first.cause.wait),
        "binlog fsync, journal commit"
    );
    assert!(
        measured
            .causes
            .is_sorted_by(|one, other| one.total >= other.total)
    );
}

#[test]
fn causes_are_of_statements_where_hardly_anything_commits() {
    let mut document = document();
    let commits = document.commits.as_ref().unwrap().count;
    assert_eq!(MeasurementResult::new(&document, &[], false).events, commits);
    let statements = document.statements.as_mut().unwrap();
    statements.count = 101 * commits;
    assert_eq!(
        MeasurementResult::new(&document, &[], false).events,
        101 * commits
    );
}

#[test]
fn what_was_written_is_of_the_time_that_was_traced() {
    let mut document = document();
    document.tracer.as_mut().unwrap().gaps = Some(Gaps {
        count: 1,
        untraced: 24_000_000_000,
        traced: 6_000_000_000,
    });
    let measured = MeasurementResult::new(&document, &[], false);
    let written = figure(&measured, &Figure::Written(FileClass::Redo));
    assert!((written - 41e6 / 6.0).abs() < 1e-6, "{written}");
    document.tracer = None;
    let untraced = MeasurementResult::new(&document, &[], false);
    assert!(!untraced.figures.keys().any(Figure::is_traced));
}

#[test]
fn requests_that_bursts_hardly_show_are_told() {
    let mut document = document();
    let seen = |document: &Document| MeasurementResult::new(document, &[], false).seen_hardly;
    assert_eq!(seen(&document), None, "everything was traced");
    let response = document.response.unwrap().total;
    let mut gaps = |untraced| {
        document.tracer.as_mut().unwrap().gaps = Some(Gaps {
            count: 1,
            untraced,
            traced: 10_000_000_000,
        });
        document.response.as_mut().unwrap().total = response / 10;
        seen(&document)
    };
    // A tenth of what all requests took, in a tenth of the time and in half of it.
    assert_eq!(gaps(90_000_000_000), None);
    let part = gaps(10_000_000_000).unwrap();
    assert!((0.15..0.25).contains(&part), "{part}");
    document.response = None;
    assert_eq!(seen(&document), Some(0.0), "none is within a burst");
}

#[test]
fn a_stall_has_what_slow_tenths_say() {
    let mut document = document();
    let driver = document.driver.as_mut().unwrap();
    driver.per_tenth[122..127].fill(0);
    driver.per_tenth.push(5);
    let commits = document.commits.as_mut().unwrap();
    // The document's own slow tenth is at 12.3 s.
    assert_eq!(commits.slow_tenths[0].at, 12_300_000_000);
    let mut last = commits.slow_tenths[0].clone();
    last.at = 12_600_000_000;
    last.ended = 1;
    commits.slow_tenths.push(last);
    let series = WindowSeries::new(&document);
    assert_eq!(
        (series.slices.len(), series.per_second().len()),
        (300, 30),
        "the grace is left out"
    );
    let stalls = MeasurementResult::new(&document, &[], true).stalls;
    assert_eq!(stalls.len(), 1);
    assert_eq!(
        (stalls[0].at_ns, stalls[0].length_ns),
        (12_200_000_000, 500_000_000)
    );
    // Two ended in one tenth and one in the last, in which seven more were under way.
    assert_eq!(stalls[0].commits, Some(2 + 1 + 7));
    assert_eq!(stalls[0].causes[0].1, 2 * 712_345_678);
}

#[test]
fn a_server_that_does_nothing_any_more_stalls_to_the_end() {
    let mut document = document();
    document.driver.as_mut().unwrap().per_tenth.truncate(290);
    let stalls = MeasurementResult::new(&document, &[], false).stalls;
    assert_eq!(
        (stalls[0].at_ns, stalls[0].length_ns),
        (29_000_000_000, 1_000_000_000)
    );
    document.driver.as_mut().unwrap().per_tenth.clear();
    let older = MeasurementResult::new(&document, &[], false);
    assert!(!older.figures.contains_key(&Figure::Stalls), "not told");
}
