//! Commits and causes over time: every part of a run has exact sums.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::LazyLock;

use logtrace_attribution::analysis::{Analysis, AnalysisConfig};
use logtrace_attribution::breakdown::{Breakdown, OverTime};
use logtrace_attribution::cause::Cause;
use logtrace_common::{TimeRange, latency_row};
use logtrace_events::Record;
use logtrace_testkit::synthetic::{SERVER_TGID, group_commits, logs};
use proptest::prelude::*;

const START_NS: u64 = 1_000_000_000;
const TENTH_NS: u64 = 100_000_000;

/// Checks that all parts together are the commits and their causes.
pub(crate) fn is_exact(breakdown: &Breakdown) -> Result<(), TestCaseError> {
    let OverTime {
        commits,
        causes,
        slowest,
        ..
    } = &breakdown.over_time;
    for commit in &slowest.commits {
        prop_assert_eq!(commit.parts.iter().map(|part| part.0).sum::<u64>(), commit.ns);
    }
    let counted: u64 = commits.cells.iter().map(|cell| cell.count).sum();
    prop_assert_eq!(counted, breakdown.commits.count);
    let mut by_cause = BTreeMap::<Cause, u64>::new();
    let mut by_stack = BTreeMap::<usize, u64>::new();
    for cell in &causes.cells {
        *by_cause.entry(causes.stacks[cell.stack].cause).or_default() += cell.ns;
        *by_stack.entry(cell.stack).or_default() += cell.ns;
    }
    let rows = breakdown.causes.iter().map(|row| (row.cause, row.total));
    prop_assert_eq!(by_cause, rows.collect());
    let folded = breakdown.stacks.commit.iter().map(|stack| stack.total_ns);
    let mut folded: Vec<u64> = folded.collect();
    folded.sort_unstable();
    let mut totals: Vec<u64> = by_stack.into_values().collect();
    totals.sort_unstable();
    prop_assert_eq!(totals, folded);
    let text = serde_json::to_string(&breakdown.over_time).unwrap();
    prop_assert_eq!(
        &serde_json::from_str::<OverTime>(&text).unwrap(),
        &breakdown.over_time
    );
    Ok(())
}

/// A few seconds of group commits, and what was found in them.
static SAMPLE: LazyLock<(Vec<Record>, Breakdown)> = LazyLock::new(|| {
    let records = group_commits(8, 2_000);
    let mut analysis = Analysis::new(AnalysisConfig {
        server_tgid: SERVER_TGID,
        logs: logs(),
        window: TimeRange::new(START_NS, u64::MAX),
    });
    for record in records.iter().cloned() {
        analysis.push(record);
    }
    (records, analysis.finish())
});

/// Ends and durations of all commits.
fn commits() -> impl Iterator<Item = (u64, u64)> {
    SAMPLE.0.iter().filter_map(|record| match record {
        Record::Commit(commit) => Some((commit.end_ns, commit.end_ns - commit.start_ns)),
        _ => None,
    })
}

/// The time of commits that ended in these columns and took as long as these bands.
fn in_rectangle(columns: &Range<u64>, bands: &Range<u16>) -> u64 {
    let inside = commits().filter(|&(end_ns, length_ns)| {
        let column = (end_ns - START_NS) / TENTH_NS;
        columns.contains(&column) && bands.contains(&(latency_row(length_ns) / 4))
    });
    inside.map(|(_, length_ns)| length_ns).sum()
}

#[test]
fn the_sample_has_columns_bands_and_frames() {
    let causes = &SAMPLE.1.over_time.causes;
    assert_eq!(causes.column_ns, TENTH_NS);
    let columns = causes.cells.iter().map(|cell| cell.column).max().unwrap();
    assert!(columns > 20, "{columns}");
    assert!(causes.stacks.iter().any(|stack| !stack.frames.is_empty()));
    is_exact(&SAMPLE.1).unwrap();
}

#[test]
fn the_slowest_commits_are_those_of_all() {
    let mut lengths: Vec<u64> = commits().map(|(_, length_ns)| length_ns).collect();
    lengths.sort_unstable_by_key(|&length_ns| std::cmp::Reverse(length_ns));
    let slowest = &SAMPLE.1.over_time.slowest;
    let told: Vec<u64> = slowest.commits.iter().map(|commit| commit.ns).collect();
    assert_eq!(told, lengths[..64]);
    let threads = slowest
        .commits
        .iter()
        .flat_map(|commit| commit.parts.iter().map(|part| part.1 == commit.tid));
    let (own, others): (Vec<bool>, Vec<bool>) = threads.partition(|&is_own| is_own);
    assert!(
        !own.is_empty() && !others.is_empty(),
        "the work of leaders is there"
    );
}

proptest! {
    #[test]
    fn any_rectangle_sums_to_the_time_of_its_commits(
        (from, to) in (0u64..40, 0u64..40),
        (shortest, longest) in (30u16..50, 30u16..50),
    ) {
        let (columns, bands) = (from..to, shortest..longest);
        let cells = SAMPLE.1.over_time.causes.cells.iter();
        let inside = cells.filter(|cell| columns.contains(&cell.column) && bands.contains(&cell.band));
        prop_assert_eq!(inside.map(|cell| cell.ns).sum::<u64>(), in_rectangle(&columns, &bands));
    }
}
