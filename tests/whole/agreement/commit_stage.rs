//! The commit time, measured by MySQL's Performance Schema at the same time.

use logtrace_common::Flavor;

use super::traced::traced;
use crate::common::alone;
use crate::common::sysbench::{USER, prepare, updates};
use logtrace_laboratory::foreign::Foreign;

const EVENTS: u32 = 4_000;
const STAGE: &str = "stage/sql/waiting for handler commit";

/// The stage holds some 6 us of code before and after the two calls that the probes sit on (docs/performance.md).
const TOLERANCE: f64 = 0.02;

#[test]
fn mysqls_commits_take_as_long_as_performance_schema_says() {
    let _alone = alone();
    let foreign = Foreign::start(Flavor::MySql);
    prepare(&foreign);
    foreign.tell(&format!(
        "UPDATE performance_schema.setup_instruments SET ENABLED = 'YES', TIMED = 'YES' WHERE NAME = '{STAGE}'"
    ));
    foreign.tell(
        "UPDATE performance_schema.setup_consumers SET ENABLED = 'YES' WHERE NAME = 'events_stages_current'",
    );
    foreign.tell("TRUNCATE performance_schema.events_stages_summary_by_user_by_event_name");
    let (document, _) = traced(&foreign, || updates(&foreign, EVENTS, None));
    let (count, picoseconds): (u64, u64) = foreign.ask(&format!(
        "SELECT COUNT_STAR, SUM_TIMER_WAIT FROM performance_schema.events_stages_summary_by_user_by_event_name \
         WHERE USER = '{USER}' AND EVENT_NAME = '{STAGE}'"
    ));
    let commits = document.commits.as_ref().unwrap();
    let theirs = picoseconds / 1_000;
    let told = format!(
        "logtrace {} commits of {} ns, Performance Schema {count} of {theirs} ns",
        commits.count, commits.total
    );
    assert_eq!(count, u64::from(EVENTS), "{told}");
    assert!(commits.count.abs_diff(count) <= u64::from(EVENTS) / 100, "{told}");
    // Means: the commits before logtrace's window do not count as time that it lost.
    let mean = |total: u64, count: u64| total as f64 / count as f64;
    let ratio = mean(commits.total, commits.count) / mean(theirs, count);
    assert!((ratio - 1.0).abs() <= TOLERANCE, "{told}: {ratio}");
}
