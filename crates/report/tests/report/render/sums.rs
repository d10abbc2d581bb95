//! The rendered rows sum to the rendered totals, whatever the causes.

use logtrace_attribution::breakdown::StackTotals;
use logtrace_attribution::cause::{Cause, Wait, Who};
use logtrace_common::FileClass;
use logtrace_events::IoOp;
use logtrace_report::document::{CauseRow, Document};
use logtrace_report::render::{Format, Input, render};
use proptest::prelude::*;

use super::samples;

/// A document with `causes` and commits to fit.
fn document(causes: Vec<CauseRow>) -> Document {
    let mut document = samples::traced().document;
    if let Some(commits) = &mut document.commits {
        commits.total = causes.iter().map(|row| row.total).sum();
        commits.slowest_total = causes.iter().map(|row| row.slowest).sum();
    }
    let unexplained = causes.iter().filter(|row| row.cause.wait == Wait::Unexplained);
    document.unexplained = unexplained.map(|row| row.total).sum();
    let last_resort = causes.iter().filter(|row| row.cause.is_last_resort());
    document.last_resort = last_resort.map(|row| row.total).sum();
    document.causes = causes;
    // Theirs are parts of the commits that these replace.
    document.holders = None;
    document
}

fn causes() -> impl Strategy<Value = Vec<CauseRow>> {
    let waits = prop_oneof![
        Just(Wait::OnCpu),
        Just(Wait::DeviceFlush),
        Just(Wait::RunQueue),
        Just(Wait::Unexplained),
    ];
    let files = prop_oneof![
        Just(None),
        Just(Some((FileClass::Redo, IoOp::Fsync))),
        Just(Some((FileClass::Binlog, IoOp::Write))),
    ];
    let who = prop_oneof![Just(Who::Own), Just(Who::Leader), Just(Who::Background)];
    let row = (who, files, waits, 1u64..1 << 40, 0u64..=1 << 40, 0u32..35_988);
    let row = row.prop_map(|(who, io, wait, total, slowest, commits)| CauseRow {
        cause: Cause { who, io, wait },
        total,
        commits: u64::from(commits),
        slowest: slowest.min(total),
    });
    proptest::collection::vec(row, 1..30).prop_map(|mut rows| {
        rows.sort_by_key(|row| row.cause);
        rows.dedup_by_key(|row| row.cause);
        rows
    })
}

fn rendered(format: Format, document: &Document) -> String {
    let input = Input {
        document,
        stacks: &StackTotals::default(),
        over_time: None,
        color: false,
        all: true,
    };
    render(format, input).unwrap()
}

/// Shares of the causes in the terminal report, and that of the last line.
fn shares(report: &str) -> (Vec<f64>, f64) {
    let start = report.find("in slowest 1 %").unwrap();
    let block = report[start..].split("\n\n").next().unwrap();
    let mut shares: Vec<f64> = block
        .lines()
        .skip(1)
        .map(|line| {
            let before = line.split(" %").next().unwrap();
            before.rsplit(' ').next().unwrap().parse().unwrap()
        })
        .collect();
    // The part that rules of last resort name comes after the sum.
    shares.pop().unwrap();
    let all = shares.pop().unwrap();
    (shares, all)
}

proptest! {
    #[test]
    fn shares_in_the_terminal_sum_to_all_commits(causes in causes()) {
        let document = document(causes);
        prop_assert_eq!(document.check(), Ok(()));
        let (shares, all) = shares(&rendered(Format::Terminal, &document));
        let rounding = 0.05 * shares.len() as f64 + 1e-9;
        prop_assert_eq!(all, 100.0);
        prop_assert!((shares.iter().sum::<f64>() - all).abs() <= rounding, "{:?}", shares);
    }

    #[test]
    fn what_is_unexplained_has_a_row_of_its_own(causes in causes()) {
        let report = rendered(Format::Terminal, &document(causes));
        prop_assert_eq!(report.lines().filter(|line| line.starts_with("unexplained ")).count(), 1);
    }

    #[test]
    fn rows_of_the_csv_sum_to_the_commit_time(causes in causes()) {
        let document = document(causes);
        let text = rendered(Format::Csv, &document);
        let mut reader = csv::Reader::from_reader(text.as_bytes());
        let header = reader.headers().unwrap().clone();
        let column = |name| header.iter().position(|column| column == name).unwrap();
        let (total, slowest) = (column("total_ns"), column("slowest_ns"));
        let mut sums = (0, 0);
        for row in reader.records() {
            let row = row.unwrap();
            sums.0 += row[total].parse::<u64>().unwrap();
            sums.1 += row[slowest].parse::<u64>().unwrap();
        }
        let commits = document.commits.unwrap();
        prop_assert_eq!(sums, (commits.total, commits.slowest_total));
    }
}
