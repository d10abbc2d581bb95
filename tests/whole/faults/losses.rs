//! Rings that are too small on purpose: what is lost is counted and told, and no sum is wrong for it.

use logtrace_attribution::breakdown::{StackTotal, Whole};
use logtrace_common::Flavor;
use logtrace_laboratory::foreign::Foreign;
use logtrace_report::document::{CaveatKind, Document};
use logtrace_report::render::parse_folded;
use rustix::process::Signal;

use super::fixture::home::Home;
use super::fixture::started::{Ended, Started};
use crate::common::{SERVERS, beside_others, driver, logtrace, printed, sysbench, tells};

/// A page.
const TINY: &str = "--ring-bytes 4K";

/// Lost a great deal, says so, and adds up.
fn assert_degraded(ended: &Ended) -> Document {
    let document = ended.document();
    assert_eq!(ended.code, Some(3), "{}{}", ended.stderr, ended.stdout);
    ended.reads_well();
    let tracer = document.tracer.as_ref().unwrap();
    assert!(tracer.lost > 100, "{} lost, {} read", tracer.lost, tracer.events);
    assert_eq!((tracer.undecodable, tracer.invariant_violations), (0, 0));
    assert!(tells(&document, &CaveatKind::LostRecords));
    for words in [
        format!("{} of {} records", tracer.lost, tracer.lost + tracer.events),
        "--ring-bytes".to_owned(),
    ] {
        let caveats = document.caveats.iter();
        assert!(
            caveats.clone().any(|caveat| caveat.text.contains(&words)),
            "{:?}",
            document.caveats
        );
    }
    let head: Vec<&str> = ended.stdout.lines().take(7).collect();
    assert!(
        head.iter().any(|line| line.contains("lost events")) && head.contains(&"CAVEATS"),
        "{}",
        ended.stdout
    );
    let commits = document.commits.as_ref().unwrap();
    let causes: u64 = document.causes.iter().map(|cause| cause.total).sum();
    assert_eq!(causes, commits.total);
    // What nothing was seen of is not said to have run. How much that is depends on how many records were lost, and on
    // whether they were parts of commits, or commits with all their parts: of those nothing is unexplained.
    let lost = tracer.lost as f64 / (tracer.lost + tracer.events) as f64;
    let unexplained = document.unexplained as f64 / commits.total as f64;
    assert!(
        unexplained > lost / 50.0,
        "{unexplained} unexplained, {lost} lost"
    );
    document
}

/// Every format of the report is there and sums to what `run.json` says.
fn assert_rendered(home: &Home, document: &Document) {
    let dir = &home.run_dirs()[0];
    let command = |format: &str| {
        let mut command = logtrace();
        command.arg("report").arg(dir).args(["--format", format]);
        command
    };
    let report = |format: &str| printed(&mut command(format));
    let sum = |whole, text: &str| -> u64 {
        let stacks: Vec<StackTotal> = parse_folded(whole, text).unwrap();
        stacks.iter().map(|stack| stack.total_ns).sum()
    };
    let commits = document.commits.as_ref().unwrap().total;
    assert_eq!(sum(Whole::Commit, &report("folded")), commits);
    match document.response.as_ref().map_or(0, |response| response.total) {
        0 => {
            let ended = Started::new(command("folded-response"), home.path()).ended();
            ended.refused(1, &["cannot be shown: "]);
        }
        total => assert_eq!(sum(Whole::Response, &report("folded-response")), total),
    }
    assert!(report("html").contains("lost_records"));
    for format in ["terminal", "markdown", "csv", "json"] {
        assert!(!report(format).is_empty(), "{format}");
    }
}

#[test]
fn a_run_with_rings_that_are_too_small_is_degraded_and_adds_up() {
    let _turn = beside_others();
    for server in SERVERS {
        let home = Home::new();
        let ended = home.run(&format!(
            "--server {server} --max --connections 8 --tables 1 --rows 2000 --warmup 300ms --duration 1s {TINY}"
        ));
        let document = assert_degraded(&ended);
        let done = driver(&document).done;
        let commits = document.commits.as_ref().unwrap().count;
        assert!(commits < done, "{server}: {commits} commits were seen of {done}");
        assert_rendered(&home, &document);
        home.assert_nothing_left();
    }
}

#[test]
fn a_trace_with_rings_that_are_too_small_is_degraded_and_adds_up() {
    let _turn = beside_others();
    for flavor in [Flavor::MySql, Flavor::MariaDb] {
        let foreign = Foreign::start(flavor);
        sysbench::prepare(&foreign);
        let home = Home::new();
        let command = home.logtrace(&format!("trace --pid {} {TINY}", foreign.pid()));
        let tracing = Started::new(command, home.path());
        foreign.wait_until_traced();
        let events = sysbench::updates(&foreign, 2_000, None);
        tracing.signal(Signal::INT);
        let document = assert_degraded(&tracing.ended());
        let commits = document.commits.as_ref().unwrap().count;
        assert!(commits < events, "{commits} commits were seen of {events}");
        assert_rendered(&home, &document);
        home.assert_nothing_left();
        assert_eq!(foreign.ask::<u32>("SELECT 1"), 1, "the server lives");
    }
}
