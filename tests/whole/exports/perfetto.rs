//! Export to Perfetto of a run without a recording.

use std::fs;
use std::process::Output;

use logtrace_attribution::breakdown::OverTime;
use logtrace_common::units;

use crate::common::{Ran, SERVERS, beside_others, logtrace, run};

fn exported(ran: &Ran, options: &[&str]) -> Output {
    let mut command = logtrace();
    command
        .arg("report")
        .arg(ran.file(""))
        .args(["--format", "perfetto", "--out", "-"]);
    command.args(options).output().unwrap()
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

#[test]
fn a_run_without_a_recording_has_the_commits_that_it_kept() {
    let _turn = beside_others();
    for server in SERVERS {
        let ran = run(&format!(
            "--server {server} --rate 200/s --duration 2s --warmup 200ms --rows 1000"
        ));
        let document = ran.good();
        let over_time = fs::read_to_string(ran.file("over-time.json")).unwrap();
        let over_time = OverTime::parse(&over_time, document.sums()).unwrap();
        let lists = [&over_time.slowest, &over_time.typical, &over_time.stalls];
        let mut kept: Vec<(u64, u32, u64)> = lists
            .iter()
            .flat_map(|list| &list.commits)
            .map(|commit| (commit.end, commit.tid, commit.ns))
            .collect();
        kept.sort_unstable();
        kept.dedup();
        let total_ns: u64 = kept.iter().map(|(.., ns)| ns).sum();
        let expected = format!("{} commits of {} together", kept.len(), units::duration(total_ns));
        let whole = exported(&ran, &[]);
        assert_eq!(whole.status.code(), Some(0), "{server}: {}", said(&whole));
        assert!(
            said(&whole).starts_with("only exemplars"),
            "{server}: {}",
            said(&whole)
        );
        assert!(
            said(&whole).contains(&expected),
            "{server}: {} {expected}",
            said(&whole)
        );
        assert_eq!(
            whole.stdout[..2],
            [0x1f, 0x8b],
            "{server}: not compressed by gzip"
        );
        for option in ["--whole", "--explain-again"] {
            let refused = exported(&ran, &[option]);
            assert_eq!(refused.status.code(), Some(1), "{server}: {option}");
            assert!(
                said(&refused).contains("--record"),
                "{server}: {}",
                said(&refused)
            );
        }
    }
}
