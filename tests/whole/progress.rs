//! Progress as a person sees it, on a terminal. That there is none elsewhere is a part of `main_job`.

use std::process::Command;

use logtrace_common::Flavor;
use logtrace_laboratory::foreign::Foreign;

use crate::common::sysbench::{prepare, updates};
use crate::common::{Running, SERVERS, alone, beside_others, done_in_window, driver, run, workload};

/// What the program writes to a terminal (of 80 columns: this one has no size); `script` makes one.
fn on_a_terminal(arguments: &str) -> String {
    let out = tempfile::tempdir().unwrap();
    let program = env!("CARGO_BIN_EXE_logtrace");
    let command = format!("{program} {arguments} --out {}", out.path().display());
    let output = Command::new("script")
        .args(["--quiet", "--return", "--command", &command, "/dev/null"])
        .output()
        .unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    // 3: this machine may be too busy to send on time.
    assert!(matches!(output.status.code(), Some(0 | 3)), "{text}");
    text
}

#[test]
fn loading_is_a_bar_that_fills_and_is_gone_when_requests_are_sent() {
    let _turn = beside_others();
    for server in SERVERS {
        let text = on_a_terminal(&format!(
            "run --server {server} --no-trace --workload point_select --tables 3 --rows 60000 --rate 200/s \
             --warmup 100ms --duration 2s"
        ));
        let bars: Vec<&str> = text.split('\r').filter(|line| line.contains("rows")).collect();
        let rows: Vec<u32> = bars.iter().map(|bar| rows(bar)).collect();
        assert!(
            rows.is_sorted() && rows.iter().all(|&rows| rows <= 180_000),
            "{rows:?}"
        );
        let part_of_all = rows.iter().filter(|rows| (1..180_000).contains(*rows)).count();
        assert!(part_of_all > 0, "{server}: {text:?}");
        let measuring = text.find("measuring: 1 s of 2 s").unwrap();
        assert!(!text[measuring..].contains(" of 180,000 rows"), "{text:?}");
    }
}

/// The rows that a bar says are there.
fn rows(bar: &str) -> u32 {
    let (before, _) = bar.split_once(" of 180,000 rows").unwrap();
    let number = before.split_whitespace().last().unwrap();
    number.replace(',', "").parse().unwrap()
}

/// Lines of `--report-interval`: their second, and the rate in each.
fn lines(stderr: &str, what: &str) -> Vec<(u64, f64)> {
    let line = |line: &str| {
        let (second, figures) = line.split_once(" s: ")?;
        let (rate, _) = figures.split_once(&format!(" {what}/s"))?;
        Some((second.parse().ok()?, rate.replace(',', "").parse().ok()?))
    };
    stderr.lines().filter_map(line).collect()
}

#[test]
fn a_run_reports_each_interval_with_what_commits_waited_for() {
    // Beside others the reader waits for an idle CPU, and its records are in a later line.
    let _alone = alone();
    for server in SERVERS {
        let ran = run(&format!(
            "--server {server} --rate 200/s --duration 4s --warmup 500ms --rows 2000 --report-interval 2s"
        ));
        let document = ran.good();
        let told = lines(&ran.stderr(), "requests");
        assert_eq!(
            told.iter().map(|line| line.0).collect::<Vec<_>>(),
            [2, 4],
            "{}",
            ran.stderr()
        );
        let requests: f64 = told.iter().map(|line| 2.0 * line.1).sum();
        let done = done_in_window(&document) as f64;
        // What was due in the window and done after it is in no line: what waited, and what was under way.
        let later = driver(&document).backlog_end as f64 + f64::from(workload(&document).connections);
        assert!(
            (requests - done).abs() <= 2.0 + later,
            "{requests} of {done}: {}",
            ran.stderr()
        );
        for line in ran.stderr().lines() {
            for words in ["p50 ", "p99 ", "backlog ", " % of commit time: "] {
                assert!(line.contains(words), "{server}: no {words} in {line}");
            }
        }
    }
}

#[test]
fn a_trace_reports_the_commits_of_each_second() {
    let _alone = alone();
    let foreign = Foreign::start(Flavor::MariaDb);
    prepare(&foreign);
    let tracing = Running::start(&format!(
        "trace --pid {} --duration 6s --report-interval 1s",
        foreign.pid()
    ));
    foreign.wait_until_traced();
    updates(&foreign, 600, Some(300));
    let ran = tracing.ended();
    assert_eq!(ran.code(), Some(0), "{}", ran.stderr());
    let told = lines(&ran.stderr(), "commits");
    assert!(told.len() >= 5, "{}", ran.stderr());
    // The last ones may be in no line.
    let commits: f64 = told.iter().map(|line| line.1).sum();
    let all = ran.document().commits.unwrap().count as f64;
    assert!(
        commits <= all && commits >= 0.7 * all,
        "{commits} of {all}: {}",
        ran.stderr()
    );
    assert!(ran.stderr().contains(" % of commit time: "), "{}", ran.stderr());
}

#[test]
fn quiet_leaves_out_the_progress_and_a_document_is_printed_alone() {
    let _turn = beside_others();
    let text = on_a_terminal(
        "run --server mariadb --no-trace --workload point_select --rate 100/s --rows 1000 --warmup 100ms --duration 1 \
         --quiet --format json",
    );
    // The terminal shows both outputs: the document would not be read with a line of progress in it.
    let document = logtrace_report::parse_json(&text).unwrap_or_else(|error| panic!("{error}: {text:?}"));
    assert!(driver(&document).requests > 0);
}

#[test]
fn a_terminal_shows_percentiles_and_the_largest_cause() {
    let _turn = beside_others();
    let text = on_a_terminal("run --server mariadb --rate 100/s --rows 2000 --warmup 100ms --duration 3s");
    let seconds: Vec<&str> = text
        .split('\r')
        .filter(|line| line.contains("measuring: "))
        .collect();
    assert!(seconds.iter().any(|line| line.contains("p99 ")), "{seconds:?}");
}
