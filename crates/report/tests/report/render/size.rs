//! Size of the page that people send to each other, with all of its parts.

use base64::Engine;
use base64::engine::general_purpose::STANDARD as BASE64;
use flate2::read::DeflateDecoder;
use logtrace_attribution::breakdown::{CubeCell, OverTime};
use logtrace_report::document::TracedParts;
use logtrace_report::render::{Format, Input, render};
use logtrace_testkit::synthetic;

use super::analysed::breakdown;
use super::samples;

/// Commits of a group.
const CONNECTIONS: u32 = 32;

/// Kernel stacks of each kind of wait: more than a real server has.
const PLACES: u32 = 40;

/// Limit on any page.
const MOST_BYTES: usize = 3_000_000;

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
        all: false,
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

/// Returns more numbers than any run has, which cannot be compressed.
fn too_many(mut over_time: OverTime) -> OverTime {
    let mut noise = 1_u64;
    let stacks = over_time.causes.stacks.len();
    let places = (0..600).flat_map(|column| (20..50).map(move |band| (column, band)));
    let cells = places.flat_map(|(column, band)| (0..stacks.min(25)).map(move |stack| (column, band, stack)));
    let cells = cells.map(|(column, band, stack)| {
        noise = noise
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        CubeCell {
            column,
            band,
            stack,
            ns: noise >> 34,
            commits: noise % 100,
        }
    });
    over_time.causes.cells = cells.collect();
    over_time
}

#[test]
fn a_page_that_would_be_too_large_has_wider_columns() {
    let breakdown = breakdown(synthetic::varied_group_commits(CONNECTIONS, 50, PLACES));
    let over_time = too_many(breakdown.over_time);
    let bytes = serde_json::to_string(&over_time).unwrap().len();
    assert!(bytes > MOST_BYTES, "{bytes} bytes");
    let mut document = samples::traced().document;
    document.workload = None;
    let input = Input {
        document: &document,
        stacks: &breakdown.stacks,
        over_time: Some(&over_time),
        color: false,
        all: false,
    };
    let page = render(Format::Html, input).unwrap();
    assert!(page.len() <= MOST_BYTES, "{} bytes", page.len());
    let (_, data) = page.split_once("id=\"over-time-data\">").unwrap();
    let (data, _) = data.split_once("</script>").unwrap();
    let compressed = BASE64.decode(data).unwrap();
    let data: serde_json::Value = serde_json::from_reader(DeflateDecoder::new(&compressed[..])).unwrap();
    let shown: OverTime = serde_json::from_value(data["over_time"].clone()).unwrap();
    let total_ns = |of: &OverTime| of.causes.cells.iter().map(|cell| cell.ns).sum::<u64>();
    assert_eq!(total_ns(&shown), total_ns(&over_time));
    assert!(shown.causes.column_ns > over_time.causes.column_ns);
    assert!(page.contains("would have been larger than 3 MB"));
}
