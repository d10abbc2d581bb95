//! `run.json` and folded stacks.

use std::sync::LazyLock;

use logtrace_attribution::breakdown::{OverTime, StackTotals, Sums, Whole};
use logtrace_events::{decode, encoded};
use logtrace_report::document::{Commits, Document, TracedParts};
use logtrace_report::parse_json;
use logtrace_report::render::{Format, Input, flamegraph, parse_folded, render, render_folded};
use logtrace_testkit::fuzz::{config, damaged, damaged_json, damaged_text};
use logtrace_testkit::synthetic;
use proptest::collection::vec;
use proptest::prelude::*;
use strum::IntoEnumIterator;

use crate::render::analysed::breakdown;
use crate::render::samples::{self, Sample};

/// Document of the oldest schema that is read.
const OLDEST: &str = include_str!("../../data/run-schema-1.json");

fn documents() -> Vec<String> {
    let samples = samples::all().into_iter();
    let current = samples.map(|(_, sample)| serde_json::to_string(&sample.document).unwrap());
    current.chain([OLDEST.to_owned()]).collect()
}

fn folded() -> Vec<String> {
    let stacks = samples::traced().stacks;
    Whole::ALL.map(|whole| render_folded(whole, &stacks)).to_vec()
}

/// Renders in each format. A drawing may refuse stacks that it cannot draw.
fn render_all(document: &Document, stacks: &StackTotals) {
    for format in Format::iter() {
        for color in [false, true] {
            let input = Input {
                document,
                stacks,
                over_time: None,
                color,
                all: false,
            };
            let _ = render(format, input);
        }
    }
}

/// Bytes of the records of a server that commits in groups.
fn records() -> Vec<Vec<u8>> {
    synthetic::group_commits(4, 3).iter().map(encoded).collect()
}

/// Commits of a few seconds over time, and their totals.
static OVER_TIME: LazyLock<(String, Commits)> = LazyLock::new(|| {
    let breakdown = breakdown(synthetic::group_commits(8, 500));
    (
        serde_json::to_string(&breakdown.over_time).unwrap(),
        breakdown.commits,
    )
});

fn sums(commits: &Commits) -> Sums {
    Sums {
        commits: commits.count,
        total_ns: commits.total,
        done: 0,
    }
}

#[test]
fn sound_documents_are_read() {
    let (text, commits) = &*OVER_TIME;
    assert!(OverTime::parse(text, sums(commits)).is_ok(), "{text}");
    for text in documents() {
        assert!(parse_json(&text).is_ok(), "{text}");
    }
    for (whole, text) in Whole::ALL.into_iter().zip(folded()) {
        assert!(parse_folded(whole, &text).is_ok(), "{text}");
    }
}

proptest! {
    #![proptest_config(config(300))]

    #[test]
    fn a_document_with_other_values_is_rendered_or_refused(text in damaged_json(documents())) {
        if let Ok(document) = parse_json(&text) {
            render_all(&document, &samples::traced().stacks);
        }
    }

    #[test]
    fn damaged_commits_over_time_are_read_or_refused(text in damaged_text([&OVER_TIME.0])) {
        let commits = &OVER_TIME.1;
        let _ = OverTime::parse(&text, sums(commits));
    }

    #[test]
    fn commits_over_time_with_other_values_are_drawn_or_refused(text in damaged_json([&OVER_TIME.0])) {
        let Sample { document, stacks } = samples::traced();
        let commits = &OVER_TIME.1;
        if let Ok(over_time) = OverTime::parse(&text, sums(commits)) {
            let input = Input { document: &document, stacks: &stacks, over_time: Some(&over_time), color: false, all: false };
            let _ = render(Format::Html, input);
        }
    }

    #[test]
    fn totals_of_damaged_records_are_rendered(records in vec(damaged(records()), 0..60)) {
        let breakdown = breakdown(records.iter().filter_map(|bytes| decode(bytes).ok()));
        let mut document = samples::traced().document;
        document.set_breakdown(&breakdown, TracedParts::ALL);
        render_all(&document, &breakdown.stacks);
    }

    #[test]
    fn a_damaged_document_is_read_or_refused(text in damaged_text(documents())) {
        let _ = parse_json(&text);
    }

    #[test]
    fn damaged_stacks_are_drawn_or_refused(text in damaged_text(folded())) {
        let document = samples::traced().document;
        for whole in Whole::ALL {
            if let Ok(read) = parse_folded(whole, &text) {
                let mut stacks = StackTotals::default();
                *stacks.of_mut(whole) = read;
                let _ = render_folded(whole, &stacks);
                let _ = flamegraph(&document, &stacks, whole);
            }
        }
    }
}
