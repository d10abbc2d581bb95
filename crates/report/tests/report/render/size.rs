//! Size of the page that people send to each other, with all of its parts.

use logtrace_report::document::TracedParts;
use logtrace_report::render::{Format, Input, render};
use logtrace_report::synthetic;

use super::analysed::breakdown;
use super::samples;

/// Commits of a group.
const CONNECTIONS: u32 = 32;

/// Kernel stacks of each kind of wait: more than a real server has.
const PLACES: u32 = 40;

/// Returns the page of so many commits, and checks that it is of these.
fn page(commits: u32) -> String {
    let groups = commits / CONNECTIONS;
    let breakdown = breakdown(synthetic::varied_group_commits(CONNECTIONS, groups, PLACES));
    let mut document = samples::traced().document;
    document.set_breakdown(&breakdown, TracedParts::ALL);
    assert_eq!(document.check(), Ok(()));
    assert_eq!(breakdown.commits.count, u64::from(commits));
    assert!(
        breakdown.stacks.commit.len() > 100,
        "{}",
        breakdown.stacks.commit.len()
    );
    let input = Input {
        document: &document,
        stacks: &breakdown.stacks,
        over_time: Some(&breakdown.over_time),
        color: false,
    };
    render(Format::Html, input).unwrap()
}

#[test]
fn the_page_of_30_s_of_5_000_commits_a_second_is_below_1_mb() {
    let page = page(150_016);
    assert!(page.len() < 1_000_000, "{} bytes", page.len());
}

#[test]
#[ignore = "long: 12 million commits are explained"]
fn the_page_of_10_min_of_20_000_commits_a_second_is_below_2_mb() {
    let page = page(12_000_000);
    assert!(page.len() < 2_000_000, "{} bytes", page.len());
}
