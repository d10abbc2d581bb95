//! Progress as a person sees it, on a terminal. That there is none elsewhere is a part of `main_job`.

use std::process::Command;

use crate::common::{SERVERS, beside_others};

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
