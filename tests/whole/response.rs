//! From the client to the cause, on real servers: what is drawn of response times is what was measured, to the
//! nanosecond.

use std::fs;

use logtrace_attribution::breakdown::{Part, StackTotal, Whole};
use logtrace_report::document::Gaps;
use logtrace_report::render::parse_folded;
use logtrace_testkit::one_or_all;

use crate::common::{Ran, SERVERS, alone, beside_others, driver, logtrace, run};

fn stacks(ran: &Ran, whole: Whole, file: &str) -> Vec<StackTotal> {
    parse_folded(whole, &fs::read_to_string(ran.file(file)).unwrap()).unwrap()
}

fn sum<'a>(stacks: impl IntoIterator<Item = &'a StackTotal>) -> u64 {
    stacks.into_iter().map(|stack| stack.total_ns).sum()
}

/// The time that a drawing says it holds.
fn drawn(ran: &Ran, file: &str) -> u64 {
    let svg = fs::read_to_string(ran.file(file)).unwrap();
    let (_, rest) = svg.split_once("total_samples=\"").unwrap();
    rest.split_once('"').unwrap().0.parse().unwrap()
}

/// Whether there is time of the part that is charged to somebody's work.
fn is_explained(stacks: &[StackTotal], part: Part) -> bool {
    let mut stacks = stacks.iter();
    stacks
        .any(|stack| stack.frames[0] == part.as_str() && stack.frames.get(1).is_some_and(|who| who == "own"))
}

#[test]
fn response_times_are_drawn_down_to_the_causes_of_commits() {
    let _turn = beside_others();
    for server in SERVERS {
        let ran = run(&format!(
            "--workload update_key --rate 100/s --duration 3s --warmup 500ms --tables 1 --rows 2000 --server {server} \
             --detail full"
        ));
        let document = ran.good();
        let response = document.response.as_ref().unwrap();
        assert_eq!(response.requests, driver(&document).done, "{server}");
        let stacks_of = stacks(&ran, Whole::Response, "response.folded");
        let parts = [
            (Part::Lag, response.lag),
            (Part::Client, response.client),
            (Part::BeforeCommit, response.before_commit),
            (Part::Commit, response.commit),
            (Part::AfterCommit, response.after_commit),
        ];
        for (part, total) in parts {
            let of_part = stacks_of.iter().filter(|stack| stack.frames[0] == part.as_str());
            assert_eq!(sum(of_part), total, "{server}: {}", part.as_str());
        }
        assert_eq!(drawn(&ran, "response.svg"), response.total);
        for part in [Part::BeforeCommit, Part::Commit, Part::AfterCommit] {
            assert!(is_explained(&stacks_of, part), "{server}: {}", part.as_str());
        }
        let fsync = |stack: &StackTotal| stack.frames[0] == "commit" && stack.frames[2] == "binlog fsync";
        assert!(stacks_of.iter().any(fsync), "{server}");
        let statements = document.statements.as_ref().unwrap().total;
        assert_eq!(
            sum(&stacks(&ran, Whole::Statement, "statements.folded")),
            statements
        );
        assert_eq!(drawn(&ran, "statements.svg"), statements);
        let commits = document.commits.as_ref().unwrap().total;
        assert_eq!(sum(&stacks(&ran, Whole::Commit, "commits.folded")), commits);
        assert_eq!(drawn(&ran, "flamegraph.svg"), commits);
        for (format, file) in [
            ("folded", "commits.folded"),
            ("folded-response", "response.folded"),
            ("folded-statement", "statements.folded"),
            ("html", "report.html"),
        ] {
            assert_eq!(
                ran.report(format),
                fs::read_to_string(ran.file(file)).unwrap(),
                "{format}"
            );
        }
        let page = fs::read_to_string(ran.file("report.html")).unwrap();
        assert_eq!(page.matches("data:image/svg+xml").count(), 3);
    }
}

#[test]
fn a_run_that_explains_no_statements_draws_none() {
    let _turn = beside_others();
    let ran = run("--rate 200/s --duration 2s --warmup 500ms --tables 1 --rows 1000 --server mariadb");
    let document = ran.good();
    let response = document.response.as_ref().unwrap();
    let stacks = stacks(&ran, Whole::Response, "response.folded");
    assert_eq!(sum(&stacks), response.total);
    assert!(is_explained(&stacks, Part::Commit));
    assert!(!is_explained(&stacks, Part::BeforeCommit));
    for file in ["statements.folded", "statements.svg"] {
        assert!(!ran.file(file).exists(), "{file}");
    }
    let mut report = logtrace();
    report
        .arg("report")
        .arg(ran.file(""))
        .args(["--format", "folded-statement"]);
    let refused = report.output().unwrap();
    let why = String::from_utf8(refused.stderr).unwrap();
    assert_eq!(
        (refused.status.code(), refused.stdout.is_empty()),
        (Some(1), true)
    );
    assert!(why.contains("--detail full"), "{why}");
}

#[test]
fn statements_without_a_pause_between_them_are_told_apart() {
    // The slow log is written after the reply, and meanwhile the next request comes.
    let load = "--workload point_select --max --connections 8 --duration 4s --warmup 500ms --tables 1 --rows 1000 \
                --detail full --set slow_query_log=ON --set long_query_time=0 --set log_output=TABLE";
    let _alone = alone();
    for server in one_or_all(&SERVERS) {
        for sample in ["100%", "50%"] {
            let document = run(&format!("{load} --sample {sample} --server {server}")).document();
            let traced = document.gaps().map_or(1.0, Gaps::traced_share);
            let expected = driver(&document).done as f64 * traced;
            let parts = document.response.unwrap().requests as f64 / expected;
            let statements = document.statements.as_ref().unwrap().count as f64 / expected;
            assert!(
                (0.7..1.2).contains(&parts),
                "{server}, {sample}: {parts} of the requests"
            );
            assert!(
                (0.7..1.2).contains(&statements),
                "{server}, {sample}: {statements} statements a request"
            );
        }
    }
}
