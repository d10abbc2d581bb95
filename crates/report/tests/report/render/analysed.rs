//! What the analysis gives becomes a document that adds up.

use logtrace_attribution::analysis::{Analysis, AnalysisConfig};
use logtrace_attribution::breakdown::{Breakdown, Whole};
use logtrace_common::TimeRange;
use logtrace_events::Record;
use logtrace_report::document::TracedParts;
use logtrace_report::render::{Format, Input, flamegraph, render};
use logtrace_testkit::synthetic;
use strum::IntoEnumIterator;

use super::samples;

/// Returns what the analysis gives for these records.
pub(crate) fn breakdown(records: impl IntoIterator<Item = Record>) -> Breakdown {
    let mut analysis = Analysis::new(AnalysisConfig {
        server_tgid: synthetic::SERVER_TGID,
        logs: synthetic::logs(),
        window: TimeRange::new(0, u64::MAX),
    });
    for record in records {
        analysis.push(record);
    }
    analysis.finish()
}

#[test]
fn group_commits_from_records_to_every_report() {
    let breakdown = breakdown(synthetic::group_commits(8, 50));
    let mut document = samples::traced().document;
    document.set_breakdown(&breakdown, TracedParts::ALL);
    assert_eq!(document.check(), Ok(()));
    assert_eq!(document.commits.as_ref().map(|commits| commits.count), Some(400));
    let stacks = &breakdown.stacks;
    assert_eq!(
        stacks.commit.iter().map(|stack| stack.total_ns).sum::<u64>(),
        breakdown.commits.total,
        "the folded stacks hold all commit time"
    );
    for format in Format::iter() {
        let input = Input {
            document: &document,
            stacks,
            over_time: None,
            color: false,
            all: false,
        };
        // Nobody sent a request.
        let nothing = matches!(format, Format::FoldedResponse | Format::FoldedStatement);
        assert_eq!(render(format, input).is_err(), nothing, "{format}");
    }
    let svg = flamegraph(&document, stacks, Whole::Commit).unwrap();
    assert!(svg.contains("binlog fsync"));
}
