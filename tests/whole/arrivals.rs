//! Rates that change, and arrivals that are offered again, as a user asks for them.

use std::fs;

use crate::common::{Ran, SERVERS, alone, beside_others, driver, run, tells, workload};
use logtrace_report::document::CaveatKind;
use logtrace_testkit::one_or_all;

const SHORT: &str =
    "--no-trace --workload point_select --warmup 200ms --tables 1 --rows 500 --keys zipfian:1.1";

fn arrivals(ran: &Ran) -> String {
    fs::read_to_string(ran.file("arrivals.txt")).unwrap()
}

#[test]
fn a_schedule_is_offered_named_and_replayed() {
    let _turn = beside_others();
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("bursts.txt");
    fs::write(&file, "1s 100..300 # up\n400ms 0\n100ms 1000\nrepeat 2\n").unwrap();
    for server in one_or_all(&SERVERS) {
        let ran = run(&format!(
            "{SHORT} --server {server} --arrivals uniform --schedule {}",
            file.display()
        ));
        let document = ran.good();
        let asked = workload(&document);
        assert_eq!((asked.duration_s, asked.keys.as_str()), (3.0, "zipfian:1.1"));
        assert_eq!(asked.schedule.as_deref(), file.to_str());
        let done = driver(&document);
        assert_eq!((done.offered_per_s, done.requests), (Some(200.0), 600));
        let title = ran.stdout();
        assert!(
            title.contains("200.0/s on average, uniform") && title.contains("bursts.txt"),
            "{title}"
        );
        let known = arrivals(&ran);
        assert!(
            known.lines().count() == 602 && known.ends_with("end 3000000000\n"),
            "{known}"
        );

        let again = run(&format!(
            "{SHORT} --server {server} --replay {}",
            ran.dir.as_ref().unwrap().display()
        ));
        let replayed = again.good();
        assert_eq!(arrivals(&again), known);
        assert_eq!(workload(&replayed).arrivals, "replay");
        assert_eq!(driver(&replayed).offered_per_s, Some(200.0));
    }
}

#[test]
fn a_range_of_rates_is_climbed_and_a_closed_loop_has_nothing_to_replay() {
    let _turn = beside_others();
    let ran = run(&format!(
        "{SHORT} --server mariadb --duration 2s --arrivals uniform --rate 100..400/s:100"
    ));
    let document = ran.good();
    assert_eq!(workload(&document).schedule.as_deref(), Some("100..400/s:100"));
    assert_eq!(
        (driver(&document).offered_per_s, driver(&document).requests),
        (Some(250.0), 500)
    );

    let shares = run(&format!("{SHORT} --server mariadb --duration 1s --rate 1..3%")).good();
    let (offered, capacity) = (driver(&shares).offered_per_s, driver(&shares).capacity.as_ref());
    assert!(
        (offered.unwrap() / capacity.unwrap().per_s - 0.02).abs() < 1e-9,
        "{offered:?} of {capacity:?}"
    );

    let closed = run(&format!("{SHORT} --server mariadb --duration 1s --max"));
    assert_eq!(workload(&closed.good()).schedule, None);
    let refused = run(&format!(
        "{SHORT} --replay {}",
        closed.dir.as_ref().unwrap().display()
    ));
    assert_eq!(refused.code(), Some(2));
    assert!(
        refused.stderr().contains("closed loops (--max)"),
        "{}",
        refused.stderr()
    );
}

#[test]
fn a_rate_in_steps_says_what_the_commits_of_each_step_waited_for() {
    let _turn = beside_others();
    let ran = run(
        "--server mariadb --workload update_key --rate 100..400/s:100 --duration 2s --warmup 300ms --rows 500",
    );
    let document = ran.good();
    let steps = driver(&document)
        .steps
        .iter()
        .map(|step| step.commits.as_ref().unwrap());
    let counts: Vec<u64> = steps.clone().map(|commits| commits.count).collect();
    // The first step sends 50 requests and the last one 200.
    assert!(counts.len() == 4 && counts[0] * 2 < counts[3], "{counts:?}");
    let all = document.commits.as_ref().unwrap().count;
    assert!(counts.iter().sum::<u64>() * 10 >= all * 9, "{counts:?} of {all}");
    assert!(steps.clone().all(|commits| !commits.causes.is_empty()));
    assert!(
        ran.stdout().contains("commits by step of the rate"),
        "{}",
        ran.stdout()
    );
}

#[test]
fn a_rate_that_becomes_too_high_is_named_with_the_last_one_that_was_not() {
    // Beside others the lowest rate may be too high as well.
    let _turn = alone();
    let ran = run(
        "--server mariadb --workload update_key --connections 1 --rate 50..8050/s:2000 --duration 1500ms --warmup 300ms --rows 500",
    );
    let document = ran.document();
    let steps = &driver(&document).steps;
    assert!(steps[0].response.p99 * 2 < steps[4].response.p99, "{steps:?}");
    assert!(ran.stdout().contains("up to "), "{}", ran.stdout());
    assert!(ran.stdout().contains("it is "), "{}", ran.stdout());
}

#[test]
fn requests_that_wait_for_their_only_connection_are_told_from_a_slow_server() {
    let _turn = beside_others();
    let load = |rate: &str| {
        run(&format!(
            "{SHORT} --server mariadb --duration 2s --connections 1 --arrivals uniform --rate {rate}"
        ))
    };
    // A rare request waits for none before it, also on a busy machine.
    let (rare, too_many) = (load("5/s"), load("20000/s"));
    assert!(!tells(&rare.good(), &CaveatKind::WaitingForConnections));
    assert!(tells(&too_many.document(), &CaveatKind::WaitingForConnections));
    let first_lines: Vec<String> = too_many.stdout().lines().take(12).map(str::to_owned).collect();
    let says_so = |line: &String| line.contains("until a connection was free");
    assert!(first_lines.iter().any(says_so), "{first_lines:?}");
}
