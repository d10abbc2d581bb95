//! Tracing in bursts, on real servers: what is left out is said, and what is seen is as exact as ever.

use crate::common::{Ran, SERVERS, alone, driver, run, share, sum_of_parts, tells, total};
use logtrace_common::FileClass;
use logtrace_events::IoOp;
use logtrace_report::document::{CaveatKind, Document, Gaps};
use logtrace_testkit::one_or_all;

const LOAD: &str = "--rate 400/s --duration 6s --warmup 500ms --rows 2000 --connections 8";

/// Pairs of runs, of which one must be alike: what else the machine does may change between two runs, again and again.
const PAIRS: usize = 3;

/// A quarter of the time.
const SAMPLE: &str = "--sample 25%";

#[test]
fn a_sample_of_a_run_is_explained_like_the_whole() {
    let _alone = alone();
    for server in one_or_all(&SERVERS) {
        let mut differences = Vec::new();
        while differences.len() < PAIRS {
            let sample = sample(server);
            let whole = run(&format!("{LOAD} --server {server}")).good();
            assert_eq!(whole.gaps(), None);
            match uneven(&sample).or_else(|| difference(&sample, &whole)) {
                None => break,
                Some(told) => differences.push(told),
            }
        }
        assert!(differences.len() < PAIRS, "{server}: {differences:?}");
    }
}

/// A run of which a part is traced, and explained as it must be.
fn sample(server: &str) -> Document {
    let ran = run(&format!("{LOAD} {SAMPLE} --server {server}"));
    let document = ran.good();
    let gaps = document.gaps().unwrap();
    assert_share(gaps, server);
    assert_explained(&document, server);
    assert_counted(&document, server);
    assert_told(&ran, server);
    document
}

/// Lengths of gaps vary by half, and a burst is a little longer than what is counted of it.
fn assert_share(gaps: Gaps, server: &str) {
    let traced = gaps.traced_share();
    assert!(gaps.count >= 4, "{server}: {gaps:?}");
    assert!((0.12..0.45).contains(&traced), "{server}: {gaps:?}");
}

fn assert_explained(document: &Document, server: &str) {
    let commits = document.commits.as_ref().unwrap();
    let tracer = document.tracer.as_ref().unwrap();
    assert_eq!(
        (
            tracer.lost,
            tracer.undecodable,
            tracer.unmatched,
            tracer.invariant_violations
        ),
        (0, 0, 0, 0),
        "{server}"
    );
    assert_eq!(total(document, |_| true), commits.total, "{server}");
    assert!(
        document.unexplained * 100 <= commits.total,
        "{server}: {} of {}",
        document.unexplained,
        commits.total
    );
    // None began before the tracer looked.
    assert!(
        commits.distribution.max <= driver(document).service.max,
        "{server}"
    );
}

/// Every request was traced or was not.
fn assert_counted(document: &Document, server: &str) {
    let response = document.response.as_ref().unwrap();
    assert_eq!(response.unmatched, 0, "{server}: {response:?}");
    assert_eq!(
        response.requests + response.untraced,
        driver(document).done,
        "{server}: {response:?}"
    );
    assert_eq!(sum_of_parts(response), response.total, "{server}: {response:?}");
}

/// As many commits and requests are seen as there are in the traced time, unless the device stalled in it, or all the
/// time besides; not all, as some are cut by its edges.
fn uneven(document: &Document) -> Option<String> {
    let gaps = document.gaps().unwrap();
    let traced = gaps.traced_share();
    let expected = driver(document).done as f64 * traced;
    let commits = document.commits.as_ref().unwrap().count as f64;
    let requests = document.response.as_ref().unwrap().requests as f64;
    let is_even =
        (0.75..1.25).contains(&(commits / expected)) && (0.6..1.25).contains(&(requests / expected));
    (!is_even).then(|| format!("{commits} commits, {requests} requests, {expected} expected"))
}

fn assert_told(ran: &Ran, server: &str) {
    for format in ["terminal", "markdown", "html"] {
        let text = ran.report(format);
        assert!(text.contains("of the time"), "{server}, {format}: {text}");
        assert!(!text.contains("of service"), "{server}, {format}: {text}");
    }
}

/// Loosely: the machine is not the same from one run to the next.
fn difference(sample: &Document, whole: &Document) -> Option<String> {
    let fsyncs = |document: &Document| {
        share(document, |cause| {
            matches!(
                cause.cause.io,
                Some((FileClass::Binlog | FileClass::Redo, IoOp::Fsync))
            )
        })
    };
    let (sample, whole) = (fsyncs(sample), fsyncs(whole));
    let is_alike = (0.5..2.0).contains(&(sample / whole));
    (!is_alike).then(|| format!("fsyncs are {sample} of the sample, {whole} of the whole"))
}

#[test]
fn requests_longer_than_bursts_cause_a_caveat_on_mariadb() {
    longer_bursts_show_long_requests("mariadb");
}

#[test]
#[ignore = "long: requests that take longer than bursts, on the other server"]
fn requests_longer_than_bursts_cause_a_caveat_on_mysql() {
    longer_bursts_show_long_requests("mysql");
}

fn longer_bursts_show_long_requests(server: &str) {
    // All of them queue for one row.
    let queue = "--max --rows 1 --connections 500 --duration 8s --warmup 1s";
    let _alone = alone();
    for (sample, is_told) in [("20%", true), ("50%:2s", false)] {
        let ran = run(&format!("{queue} --sample {sample} --server {server}"));
        let document = ran.document();
        let mean = driver(&document).response.mean;
        assert_eq!(
            tells(&document, &CaveatKind::CutByBursts),
            is_told,
            "{server}, {sample}: {:?}, {mean} ns",
            document.caveats
        );
    }
}
