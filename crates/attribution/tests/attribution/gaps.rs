//! Random schedules of which the tracer saw only what was before and after a gap.

use logtrace_common::TimeRange;
use logtrace_events::Record;
use proptest::prelude::*;

use super::schedule;
use crate::drawn::drawing::{Drawing, unseen_left_out};

fn commits(records: &[Record]) -> impl Iterator<Item = u64> {
    records.iter().filter_map(|record| match record {
        Record::Commit(commit) => Some(commit.end_ns - commit.start_ns),
        _ => None,
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    #[test]
    fn what_is_seen_counts_and_adds_up(records in schedule::records(), at in 0u64..600, length in 1u64..200) {
        let gap = TimeRange::new(at, at + length);
        let seen = unseen_left_out(records, gap);
        let mut analysis = schedule::analysis();
        seen.iter().cloned().for_each(|record| analysis.push(record));
        let breakdown = analysis.finish();
        prop_assert_eq!((breakdown.unmatched, breakdown.invariant_violations), (0, 0));
        prop_assert_eq!(breakdown.commits.count, commits(&seen).count() as u64);
        prop_assert_eq!(breakdown.commits.total, commits(&seen).sum::<u64>());
        let charged: u64 = breakdown.causes.iter().map(|row| row.total).sum();
        prop_assert_eq!(charged, breakdown.commits.total);
        let gaps = breakdown.gaps.unwrap();
        prop_assert_eq!((gaps.count, gaps.untraced), (1, length));
    }
}

#[test]
fn nothing_before_a_gap_explains_a_commit_after_it() {
    let drawing = Drawing::new(
        "
        T gap    |GGGGGG         |
        L cpu    |====jjjjjd=====|
        L io     |   BBBBBBBB    |
        F cpu    |      =LLLLLr==|
        F commit |      CCCCCCCCC|
        ",
    );
    assert_eq!(
        drawing.explained('F'),
        [
            "own on CPU 1",
            "own unexplained 2",
            "background device flush 1",
            "background on CPU 2",
            "own run queue 1",
            "own on CPU 2",
        ]
    );
}
